# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
# fish completion for rijn

set -l commands encrypt decrypt verify cat keygen info selftest bench openssl-check help
set -l files encrypt decrypt verify cat info

complete -c rijn -f
complete -c rijn -n "not __fish_seen_subcommand_from $commands" -a encrypt -d 'encrypt files or a pipe'
complete -c rijn -n "not __fish_seen_subcommand_from $commands" -a decrypt -d 'decrypt them'
complete -c rijn -n "not __fish_seen_subcommand_from $commands" -a verify -d 'decrypt files into nothing'
complete -c rijn -n "not __fish_seen_subcommand_from $commands" -a cat -d 'write a part of a text'
complete -c rijn -n "not __fish_seen_subcommand_from $commands" -a keygen -d 'make a key file, or show its public part'
complete -c rijn -n "not __fish_seen_subcommand_from $commands" -a info -d 'an encrypted file, or this machine'
complete -c rijn -n "not __fish_seen_subcommand_from $commands" -a selftest -d 'known answers'
complete -c rijn -n "not __fish_seen_subcommand_from $commands" -a bench -d 'measure speed'
complete -c rijn -n "not __fish_seen_subcommand_from $commands" -a openssl-check -d 'does OpenSSL use the provider?'
complete -c rijn -n "not __fish_seen_subcommand_from $commands" -a help -d 'the help of a command'
complete -c rijn -n "__fish_seen_subcommand_from help" -a "$commands"
set -l check '__fish_seen_subcommand_from openssl-check'
complete -c rijn -n $check -l enable -d 'put Rijn into the configuration'
complete -c rijn -n $check -l disable -d 'take it out'
complete -c rijn -n $check -l service -x -d 'of one service'
complete -c rijn -n $check -l dry-run -d 'show the change only'
complete -c rijn -n $check -s y -l yes -d 'write without asking'
complete -c rijn -n $check -l config -r -F -d 'this configuration'
complete -c rijn -n $check -l module -r -F -d 'this rijn.so'
complete -c rijn -n $check -l root -r -a '(__fish_complete_directories)' -d 'of the system in this folder'
complete -c rijn -n $check -l pid -x -a '(__fish_complete_pids)' -d 'what a process has loaded'
complete -c rijn -n $check -l json -d 'for programs'
complete -c rijn -n "__fish_seen_subcommand_from $commands" -s h -l help -d 'help'

complete -c rijn -n "__fish_seen_subcommand_from $files" -F
complete -c rijn -n "__fish_seen_subcommand_from $files" -s k -l key-file -r -F -d 'the key'
complete -c rijn -n "__fish_seen_subcommand_from $files" -l raw -d 'the key is these bytes'
complete -c rijn -n "__fish_seen_subcommand_from $files" -l key-fd -x -d 'the key from a descriptor'
complete -c rijn -n "__fish_seen_subcommand_from $files" -l passphrase-fd -x -d 'the passphrase from a descriptor'
complete -c rijn -n "__fish_seen_subcommand_from $files" -s c -l context -x -d 'what the message is about'
complete -c rijn -n "__fish_seen_subcommand_from $files" -l context-file -r -F -d 'the context from a file'
complete -c rijn -n "__fish_seen_subcommand_from $files" -l format -x -a 'cobblestone tink tink-4kb tink-1mb'

complete -c rijn -n "__fish_seen_subcommand_from encrypt" -s r -l recipient -r -F -d 'encrypt for this public key'
complete -c rijn -n "__fish_seen_subcommand_from encrypt" -s p -l passphrase -d 'encrypt for a passphrase'
complete -c rijn -n "__fish_seen_subcommand_from encrypt" -l passphrase-cost -x -d 'MiB, passes, lanes'
complete -c rijn -n "__fish_seen_subcommand_from encrypt decrypt" -s o -l output -r -F -d 'where to write'
complete -c rijn -n "__fish_seen_subcommand_from encrypt decrypt" -s f -l force -d 'replace a file that exists'
complete -c rijn -n "__fish_seen_subcommand_from encrypt decrypt" -l sync -x -a 'yes no' -d 'wait for the disk'
complete -c rijn -n "__fish_seen_subcommand_from encrypt decrypt" -s v -l verbose -d 'say what ran, and how fast'
complete -c rijn -n "__fish_seen_subcommand_from decrypt" -l salvage -d 'write what verifies'
complete -c rijn -n "__fish_seen_subcommand_from encrypt decrypt verify cat" -s j -l jobs -x -d 'threads, at most'
complete -c rijn -n "__fish_seen_subcommand_from encrypt decrypt verify info" -l json -d 'for programs'
complete -c rijn -n "__fish_seen_subcommand_from cat" -l offset -x -d 'where to begin'
complete -c rijn -n "__fish_seen_subcommand_from cat" -l length -x -d 'how much'

complete -c rijn -n "__fish_seen_subcommand_from keygen" -s o -l output -r -F -d 'the key file to make'
complete -c rijn -n "__fish_seen_subcommand_from keygen" -s b -l bits -x -a '128 256' -d 'size of the key'
complete -c rijn -n "__fish_seen_subcommand_from keygen" -s r -l recipient -d 'a pair of keys'
complete -c rijn -n "__fish_seen_subcommand_from keygen" -s c -l comment -x -d 'what it is for'
complete -c rijn -n "__fish_seen_subcommand_from keygen" -l raw -d 'the bytes alone'
complete -c rijn -n "__fish_seen_subcommand_from keygen" -s s -l show -r -F -d 'what a key file holds'
