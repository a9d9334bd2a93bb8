"""`holdfast-hook CLIENT EVENT`: what a coding agent's hooks run, with the event's payload on standard input.

`entry` is the process; the package of each agent in `agents` knows what it sends and takes;
`agents.injected` tells what a person said from what a client or holdfast itself put around it. What is said goes
to the spool, what is known goes to standard output, and `worker` moves the spool into the store later, in a
process of its own.

Everything but `worker` and what `brief` loads is light: plain functions, tuples and constants, because the agent
waits.
"""
