"""Prompts: the slash commands, for clients that show a server's prompts as commands. A person calls them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mcp.types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from holdfast.capture.text.clean import echo
from holdfast.errors import InvalidInput
from holdfast.interfaces.mcp.verbs import ServiceRunner
from holdfast.slash.dispatch import LEARN, parse, run


@dataclass(frozen=True, slots=True)
class SlashPrompt:
    """A slash command as a prompt: what it does, and the one thing it takes, if it takes any."""

    name: str
    description: str
    argument: str = ""
    meaning: str = ""
    required: bool = True


PROMPTS = (
    SlashPrompt(
        "remember", "Remember something in this project, as the user's own word.", "text", "what to remember"
    ),
    SlashPrompt("forget", "Forget a memory for good.", "what", "its id, or words that it holds"),
    SlashPrompt("pin", "Put a memory into every brief, or take it out.", "what", "its id, or words that it holds"),
    SlashPrompt(
        "memory",
        "Look after memory.",
        "command",
        "status, review …, list [kind], search …, budget …, alias …, auto on|off, config …, learn",
        False,
    ),
    SlashPrompt("learn", "Go through this session and note what lasts, each with the user's own words."),
)


def protocol_prompts() -> list[Prompt]:
    """Return the prompts as the protocol lists them."""
    return [
        Prompt(
            name=prompt.name,
            description=prompt.description,
            arguments=[PromptArgument(name=prompt.argument, description=prompt.meaning, required=prompt.required)]
            if prompt.argument
            else [],
        )
        for prompt in PROMPTS
    ]


def answer(
    prompt: SlashPrompt, arguments: Mapping[str, str], verbs: ServiceRunner, directory: Path, agent: str | None
) -> GetPromptResult:
    """Run the command; the message says what came of it."""
    for name in arguments:
        if name != prompt.argument:
            raise InvalidInput(
                field=str(echo(name)), problem=f"is unknown. {prompt.name} takes {prompt.argument or 'nothing'}."
            )
    if not prompt.argument:
        return _message(prompt, LEARN)
    command_line = f"/{prompt.name} {arguments.get(prompt.argument, '')}"
    slash_command = parse(command_line)
    reply = verbs.run(
        lambda service: run(slash_command, service, directory),
        agent=agent,
        create=slash_command.creates,
        typed=command_line,
    )
    text = f"The user ran /{prompt.name}, and holdfast has answered. Tell them what it says, no more:\n\n{reply}"
    return _message(prompt, text)


def _message(prompt: SlashPrompt, text: str) -> GetPromptResult:
    message = PromptMessage(role="user", content=TextContent(type="text", text=text))
    return GetPromptResult(description=prompt.description, messages=[message])
