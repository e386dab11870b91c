# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
# bash completion for rijn, which answers what a word can be.
_rijn() {
  local i word words=()
  for ((i = 1; i <= COMP_CWORD; i++)); do # to bash --key-file=k is three words
    [[ ${COMP_WORDS[i]} == = ]] || words+=("${COMP_WORDS[i]}")
  done
  [[ ${COMP_WORDS[COMP_CWORD]} != = ]] || words+=("")
  local cur=${words[-1]} kind=
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    case $word in
    :*) kind=$word ;;
    "$cur"*) COMPREPLY+=("$word") ;;
    esac
  done < <("${COMP_WORDS[0]}" --complete "${words[@]}" 2>/dev/null)
  [[ -z $kind ]] || compopt -o filenames 2>/dev/null
  case $kind in
  :files) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
  :files.rijn) mapfile -t COMPREPLY < <(compgen -d -- "$cur"; compgen -f -X '!*.rijn' -- "$cur") ;;
  :folders) mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
  esac
}
complete -F _rijn rijn
