"""Golden answers: what the code of a checkout answers, recorded outside the repository and compared later.

    python -m scripts.golden record FOLDER --data DATA [--checkout DIR] [--only SECTION …]
    python -m scripts.golden compare FOLDER --data DATA [--checkout DIR] [--only SECTION …]
    python -m scripts.golden speed --against DIR [--checkout DIR]

Each section is made by a process of the checkout's own Python (`DIR/.venv/bin/python`), which uses only what a
user has: `holdfast.Holdfast` and the programs `holdfast` and `holdfast-hook`. The story and the benchmarks are
those of the checkout. `sections` lists the sections, `checkout` starts processes in a fixed environment, `shim`
gives them a clock and random bytes that repeat, `answers` turns values into JSON and masks ids, `difference`
compares, `speed` measures. A recording never goes into the repository: it holds other people's text.
"""
