"""`holdfast completion`: the script that lets a shell complete commands, options and words."""

import click

from holdfast.interfaces.cli.main import cli


@click.command("completion")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def completion(shell: str) -> None:
    """Print the completion script for SHELL, to be read by its start-up file.

    \b
    Examples:
      holdfast completion bash >> ~/.bashrc
      holdfast completion zsh >> ~/.zshrc
      holdfast completion fish > ~/.config/fish/completions/holdfast.fish
    """
    from click.shell_completion import get_completion_class

    if maker := get_completion_class(shell):
        click.echo(maker(cli, {}, "holdfast", "_HOLDFAST_COMPLETE").source())
