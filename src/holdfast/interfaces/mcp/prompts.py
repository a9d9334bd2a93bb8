"""Prompts: the slash commands, for clients that show a server's prompts as commands. A person calls them."""

from collections.abc import Mapping
from pathlib import Path

from mcp.types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from holdfast.capture.text.clean import echo
from holdfast.errors import InvalidInput
from holdfast.interfaces.mcp.verbs import ServiceRunner
from holdfast.slash import LEARN, parse, run

_WORDS = "status, review …, list [kind], search …, budget …, alias …, auto on|off, config …, learn"


def _prompt(name: str, description: str, argument: str = "", meaning: str = "", required: bool = True) -> Prompt:
    """Return a slash command as a prompt, with the one argument that it takes, if it takes any."""
    arguments = [PromptArgument(name=argument, description=meaning, required=required)] if argument else []
    return Prompt(name=name, description=description, arguments=arguments)


PROMPTS = [
    _prompt("remember", "Remember something in this project, as the user's own word.", "text", "what to remember"),
    _prompt("forget", "Forget a memory for good.", "what", "its id, or words that it holds"),
    _prompt("pin", "Put a memory into every brief, or take it out.", "what", "its id, or words that it holds"),
    _prompt("memory", "Look after memory.", "command", _WORDS, False),
    _prompt("learn", "Go through this session and note what lasts, each with the user's own words."),
]


def answer(
    prompt: Prompt, arguments: Mapping[str, str], verbs: ServiceRunner, directory: Path, agent: str | None
) -> GetPromptResult:
    """Run the command; the message says what came of it."""
    argument = prompt.arguments[0].name if prompt.arguments else ""
    for name in arguments:
        if name != argument:
            problem = f"is unknown. {prompt.name} takes {argument or 'nothing'}."
            raise InvalidInput(field=str(echo(name)), problem=problem)
    if not argument:
        return _message(prompt, LEARN)
    command_line = f"/{prompt.name} {arguments.get(argument, '')}"
    slash_command = parse(command_line)
    reply = verbs.run(
        lambda service: run(slash_command, service, directory),
        agent=agent,
        create=slash_command.creates,
        typed=command_line,
    )
    text = f"The user ran /{prompt.name}, and holdfast has answered. Tell them what it says, no more:\n\n{reply}"
    return _message(prompt, text)


def _message(prompt: Prompt, text: str) -> GetPromptResult:
    message = PromptMessage(role="user", content=TextContent(type="text", text=text))
    return GetPromptResult(description=prompt.description, messages=[message])
