"""``setwise completion``: scripts that complete the command, made from its parser."""

from __future__ import annotations

import argparse

EXAMPLES = """\
examples:
  source <(setwise completion bash)
  setwise completion zsh > ~/.zfunc/_setwise
  setwise completion fish > ~/.config/fish/completions/setwise.fish
"""

BASH = """\
_setwise() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" words
    case "${{COMP_WORDS[1]}}" in
{cases}
        *) words="{commands}" ;;
    esac
    [ "$COMP_CWORD" -eq 1 ] && words="{commands}"
    COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
}}
complete -o filenames -F _setwise setwise
"""

ZSH = "#compdef setwise\nautoload -U +X bashcompinit && bashcompinit\n"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``setwise completion``."""
    parser.add_argument("shell", choices=["bash", "zsh", "fish"], help="the shell to print a script for")


def run(options: argparse.Namespace) -> int:
    """Print the script of the shell."""
    # the parser imports this module by name, so this module imports the parser only when called
    from setwise.cli.main import COMMANDS, build_parser

    parser = build_parser(list(COMMANDS))
    words = {name: option_words(command) for name, command in subcommands(parser).items()}
    if options.shell == "fish":
        print(_fish(words, COMMANDS), end="")
        return 0
    cases = "\n".join(f'        {name}) words="{" ".join(found)}" ;;' for name, found in words.items())
    script = BASH.format(cases=cases, commands=" ".join(words))
    print((ZSH if options.shell == "zsh" else "") + script, end="")
    return 0


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Map the names of a parser's subcommands to their parsers."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def option_words(parser: argparse.ArgumentParser) -> list[str]:
    """Options, choices and subcommands of a parser, its subcommands' options too."""
    words = [word for action in parser._actions for word in action.option_strings]
    for action in parser._actions:
        if action.choices is not None and not isinstance(action.choices, dict):
            words += [str(choice) for choice in action.choices]
    for name, inner in subcommands(parser).items():
        words += [name, *option_words(inner)]
    return list(dict.fromkeys(words))


def _fish(words: dict[str, list[str]], summaries: dict[str, str]) -> str:
    lines = [
        f"complete -c setwise -n __fish_use_subcommand -a {name} -d '{summaries[name].replace(chr(39), '')}'"
        for name in words
    ]
    for name, found in words.items():
        lines += [
            f"complete -c setwise -n '__fish_seen_subcommand_from {name}' -l {word[2:]}"
            for word in found
            if word.startswith("--")
        ]
    return "\n".join(lines) + "\n"
