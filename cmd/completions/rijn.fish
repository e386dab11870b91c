# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
# fish completion for rijn, which answers what a word can be.
function __rijn_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    test (count $word) -gt 0; or set word ''
    set -l before (string match -r -- '^--[^=]+=' $word)
    test (count $before) -gt 0; or set before ''
    set -l rest (string replace -r -- '^--[^=]+=' '' $word)
    for line in ($words[1] --complete $words[2..-1] $word 2>/dev/null)
        switch $line
            case ':files'
                printf '%s\n' $before(__fish_complete_path $rest)
            case ':files.rijn'
                printf '%s\n' $before(__fish_complete_path $rest | string match -r '.*(?:/|\.rijn)(?:\t.*)?$')
            case ':folders'
                printf '%s\n' $before(__fish_complete_directories $rest)
            case '*'
                printf '%s\n' $before$line
        end
    end
end
complete -c rijn -f -a '(__rijn_complete)'
