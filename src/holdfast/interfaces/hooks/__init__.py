"""`holdfast-hook CLIENT EVENT`: what a coding agent's hooks run, with the event's payload on standard input.

`entry` is the process; the package of each agent in `agents` knows what it sends and takes;
`agents.events` tells what a person said from what a client or holdfast itself put around it. What is said goes
to the spool, what is known goes to standard output; the background worker (`storage`) moves the spool into the
store later.

Everything but what `brief` loads is light: plain functions, tuples and constants, because the agent waits.
"""
