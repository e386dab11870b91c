# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
# bash completion for rijn

# With the variables of _rijn. The options of bench and what it measures are many: its help lists them.
_rijn_bench() {
  local usage words=
  local of=(bench)
  [ "${COMP_WORDS[2]}" != kernel ] || of+=(kernel)
  usage=$("${COMP_WORDS[0]}" "${of[@]}" --help 2>/dev/null)
  case $prev in
  --json)
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    return
    ;;
  --folder)
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
    return
    ;;
  --key) words='128 192 256' ;;
  --dir) words='enc dec' ;;
  --clock) words='chain aes512' ;;
  --unit) words='gbs mbs cpb cycles ns' ;;
  -f | --frequency | --impl | --peers | --baseline | --sizes | --aad | --rounds | --sample-us | --launches) return ;;
  --misalign | --threads | --cpu | --mib | --pieces) return ;;
  *)
    if [[ $cur == -* ]]; then
      words=$(grep -oE -- '--[a-z][a-z0-9-]*' <<<"$usage" | sort -u)
    else
      words="$(sed -n '/^what:/,/nothing:/{/nothing:/!{s/^what://;s/,//g;p}}' <<<"$usage") kernel"
    fi
    ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

# The subcommands of volume, and the options that the help of each lists.
_rijn_volume() {
  local words
  if [ "$COMP_CWORD" = 2 ]; then
    words='info open close read write create add-key remove-key passwd bench --help'
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    return
  fi
  case $prev in
  --format) words='luks luks1 luks2 geli bitlocker veracrypt' ;;
  --hash) words='sha512 sha256 blake2s-256 whirlpool ripemd160' ;;
  --kdf) words='argon2id argon2i pbkdf2' ;;
  --key-bits) words='128 256' ;;
  --provider-sector) words='512 4096' ;;
  --sector-size) words='512 1024 2048 4096' ;;
  --slot | --new-slot | --pim | --partition | --limit-* | --keyfile-* | --offset | --length | --size | --rounds | --memory | --lanes | --label | --uuid)
    return
    ;;
  *)
    if [[ $cur != -* ]]; then
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      return
    fi
    words=$("${COMP_WORDS[0]}" volume "${COMP_WORDS[2]}" --help 2>/dev/null | grep -oE '^ +--[a-z-]+')
    ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

_rijn() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  local commands='encrypt decrypt verify cat keygen info selftest volume bench openssl-check help'
  COMPREPLY=()
  [[ $command != --help && $command != -h ]] || command=help
  # To bash --key-file=k is three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$cur")
    return
  fi
  if [ "$command" = bench ]; then
    _rijn_bench
    return
  fi
  if [ "$command" = volume ]; then
    _rijn_volume
    return
  fi
  case $prev in
  -k | --key-file | --context-file | -o | --output | -r | --recipient | -s | --show | --config | --module)
    if [[ $command != keygen || ( $prev != -r && $prev != --recipient ) ]]; then
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      return
    fi
    ;;
  -b | --bits)
    mapfile -t COMPREPLY < <(compgen -W '128 256' -- "$cur")
    return
    ;;
  --sync)
    mapfile -t COMPREPLY < <(compgen -W 'yes no' -- "$cur")
    return
    ;;
  --format)
    mapfile -t COMPREPLY < <(compgen -W 'cobblestone tink tink-4kb tink-1mb' -- "$cur")
    return
    ;;
  -c | --context | --comment | --key-fd | --passphrase-fd | --passphrase-cost | --offset | --length | --jobs | --service | --pid)
    return
    ;;
  --root)
    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
    return
    ;;
  -j)
    [[ $command == info ]] || return
    ;;
  esac
  if [[ $command == help ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur")
  elif [[ $cur == -* ]]; then
    # The options are those that the command's own help shows.
    local options
    options=$("${COMP_WORDS[0]}" "$command" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u)
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  elif [[ $command == encrypt ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  elif [[ $command == decrypt || $command == verify || $command == cat || $command == info ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$cur"; compgen -f -X '!*.rijn' -- "$cur")
  fi
}
complete -F _rijn rijn
