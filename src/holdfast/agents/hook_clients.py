"""One module for each agent: what it is called, what its events mean, and how it takes a brief. Light.

Each has

- `AGENT`: the agent's name in memory and in the rendering of briefs,
- `moment(event, payload)`: the `Moment` that a payload tells of, or None for one that says nothing to memory,
- `answer(event, brief)`: what to print so that the model sees the brief.

Fields that are missing, of another type, or new are passed over: the formats move.
"""

NAMES = ("claude", "codex", "gemini", "opencode", "copilot", "cursor")
