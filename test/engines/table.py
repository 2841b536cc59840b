#!/usr/bin/env python3
"""Prints one table from the figures the scorer wrote for each engine. The last row has what is byte-exact in the place of what
is right, as others count.

usage: table.py FORMAT FIGURES/forge.json FIGURES/ENGINE.json...

Exits with 1 if an engine cannot be said to have been measured: it left a request without an answer, or it was right on none
of the edits that have no mistake in them.
"""
import json
import pathlib
import sys


def load(fmt, path):
    return pathlib.Path(path).stem, json.loads(pathlib.Path(path).read_text())[fmt]


def share(row, key):
    return 100 * row.get(key, 0) / row['n']


def pair(right, wrong):
    return f'{right:.1f}/{wrong:.1f}'


def unmeasured(name, result):
    if result['total'].get('no-answer') or result['status']:
        return f"{name}: {result['total'].get('no-answer', 0)} requests without an answer, exit status {result['status']}"
    plain = result['classes'].get('none')
    if plain and not plain['right']:
        return f'{name}: not right on a single edit without a mistake'
    return None


def line(name, rows, good='right'):
    """One class. The bar for Forge is the highest right and the lowest WRONG among the others, not of one engine only."""
    scores = [(share(row, good), share(row, 'WRONG')) for row in rows]
    forge, others = scores[0], scores[1:]
    best = max(right for right, _ in others), min(wrong for _, wrong in others)
    verdict = 'yes' if forge[0] >= best[0] and forge[1] <= best[1] else 'NO'
    return [name, str(rows[0]['n'])] + [pair(*score) for score in scores + [best]] + [verdict]


def show(cells):
    widths = [max(map(len, column)) for column in zip(*cells)]
    for row in cells:
        print(row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:])), sep='  ')


def main(fmt, paths):
    engines = [load(fmt, path) for path in paths]
    problems = [problem for problem in (unmeasured(*engine) for engine in engines) if problem]
    if problems:
        raise SystemExit('\n'.join(problems))
    results = [result for _, result in engines]
    cells = [['class', 'n'] + [name for name, _ in engines] + ['best of the others', 'forge at least as good']]
    for name in results[0]['classes']:
        cells.append(line(name, [result['classes'][name] for result in results]))
    totals = [result['total'] for result in results]
    cells.append(line('TOTAL', totals))
    cells.append(line('TOTAL, byte-exact', totals, 'exact'))
    print(f'{fmt}: right/WRONG, %')
    show(cells)


if __name__ == '__main__':
    if len(sys.argv) < 4:
        raise SystemExit('usage: table.py FORMAT FIGURES/forge.json FIGURES/ENGINE.json...')
    main(sys.argv[1], sys.argv[2:])
