# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
# bash completion for rijn

_rijn() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  local commands='encrypt decrypt keygen info selftest bench openssl-check help'
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands --help --version" -- "$cur")
    return
  fi
  case $prev in
  -k | --key-file | --context-file | -o | --output)
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    return
    ;;
  -b | --bits)
    mapfile -t COMPREPLY < <(compgen -W '128 256' -- "$cur")
    return
    ;;
  -c | --context | --key-fd) return ;;
  esac
  local options=--help
  case $command in
  encrypt | decrypt)
    options='--key-file --key-fd --context --context-file --output --force --verbose --help'
    ;;
  keygen) options='--output --bits --help' ;;
  info) options='--json --help' ;;
  help) options=$commands ;;
  bench)
    # Its options are many and its own: what its help lists.
    options=$("${COMP_WORDS[0]}" bench --help 2>/dev/null | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u)
    ;;
  esac
  if [[ $cur == -* || $command == help ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  elif [[ $command == encrypt ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  elif [[ $command == decrypt ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$cur"; compgen -f -X '!*.rijn' -- "$cur")
  fi
}
complete -F _rijn rijn
