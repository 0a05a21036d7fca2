/** The snippets of the demonstration. The application has to create their owners. */
export const demoSnippets = [
  {
    owner: 'ayse.yilmaz',
    title: 'Prime number generator',
    language: 'python',
    linenos: true,
    created: '2026-03-02T10:00:00Z',
    code: `from itertools import count


def primes():
    found = []
    for number in count(2):
        if all(number % prime for prime in found):
            found.append(number)
            yield number
`,
  },
  {
    owner: 'mei.tanaka',
    title: 'Count lines without unwrap',
    language: 'rust',
    style: 'one-dark-pro',
    created: '2026-03-12T04:30:00Z',
    code: `use std::{fs, io};

fn count_lines(path: &str) -> io::Result<usize> {
    Ok(fs::read_to_string(path)?.lines().count())
}
`,
  },
  {
    owner: 'sofia.rossi',
    title: 'Center horizontally and vertically',
    language: 'css',
    created: '2026-03-21T09:15:00Z',
    code: `.stage {
  display: grid;
  place-items: center;
  min-block-size: 100dvh;
}
`,
  },
  {
    owner: 'kwame.mensah',
    title: 'Running total',
    language: 'sql',
    style: 'solarized-light',
    linenos: true,
    created: '2026-04-04T13:45:00Z',
    code: `select day,
       amount,
       sum(amount) over (order by day) as total
from sales
order by day;
`,
  },
  {
    owner: 'freja.nielsen',
    title: 'Minimal HTML page',
    language: 'html',
    created: '2026-04-16T11:20:00Z',
    code: `<!doctype html>
<html lang="da">
  <meta charset="utf-8">
  <title>Hej</title>
  <h1>Hej, verden!</h1>
</html>
`,
  },
  {
    owner: 'piotr.kowalski',
    title: 'Poll until the context is done',
    language: 'go',
    style: 'github-light',
    linenos: true,
    created: '2026-05-02T15:05:00Z',
    code: `func poll(ctx context.Context, every time.Duration, work func()) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
			work()
		}
	}
}
`,
  },
  {
    owner: 'noah.schmidt',
    title: 'Quicksort',
    language: 'haskell',
    style: 'nord',
    created: '2026-05-19T08:40:00Z',
    code: `quicksort :: Ord a => [a] -> [a]
quicksort [] = []
quicksort (pivot : rest) =
  quicksort [x | x <- rest, x < pivot] ++ [pivot] ++ quicksort [x | x <- rest, x >= pivot]
`,
  },
  {
    owner: 'aarav.sharma',
    title: 'The ten largest files',
    language: 'bash',
    style: 'monokai',
    created: '2026-06-03T06:10:00Z',
    code: `#!/usr/bin/env bash
set -euo pipefail

find "\${1:-.}" -type f -printf '%s\\t%p\\n' | sort -rn | head -n 10
`,
  },
  {
    owner: 'olga.ivanova',
    title: 'Greatest common divisor',
    language: 'c',
    linenos: true,
    created: '2026-07-20T12:00:00Z',
    code: `unsigned gcd(unsigned a, unsigned b) {
    while (b != 0) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
`,
  },
  {
    owner: 'ana.silva',
    title: 'Sealed interface and pattern matching',
    language: 'java',
    style: 'vs',
    created: '2026-07-29T19:25:00Z',
    code: `sealed interface Shape permits Circle, Square {}
record Circle(double radius) implements Shape {}
record Square(double side) implements Shape {}

static double area(Shape shape) {
    return switch (shape) {
        case Circle(double radius) -> Math.PI * radius * radius;
        case Square(double side) -> side * side;
    };
}
`,
  },
  {
    owner: 'ines.dubois',
    title: 'Les mots les plus fréquents',
    language: 'ruby',
    style: 'gruvbox-light',
    created: '2026-08-11T16:35:00Z',
    code: `words = ARGF.read.downcase.scan(/\\p{L}+/)
words.tally.max_by(10, &:last).each { |word, count| puts "#{count}\\t#{word}" }
`,
  },
  {
    owner: 'wei.zhang',
    title: 'Collatz sequence as a stream',
    language: 'elixir',
    style: 'dracula',
    linenos: true,
    created: '2026-09-01T03:50:00Z',
    code: `defmodule Collatz do
  def from(start), do: Stream.iterate(start, &next/1) |> Enum.take_while(&(&1 != 1))

  defp next(n) when rem(n, 2) == 0, do: div(n, 2)
  defp next(n), do: 3 * n + 1
end
`,
  },
  {
    owner: 'demo',
    title: 'Group a list by a key',
    language: 'typescript',
    style: 'github-dark',
    linenos: true,
    created: '2026-09-22T09:30:00Z',
    code: `interface Person {
  readonly name: string
  readonly city: string
}

const byCity = (people: readonly Person[]) => Map.groupBy(people, person => person.city)
`,
  },
  {
    owner: 'demo',
    title: 'Request body of a snippet',
    language: 'json',
    created: '2026-09-25T14:15:00Z',
    code: `{
  "code": "print(1)"
}
`,
  },
]

/** The owners of the snippets. A service may add what else belongs to these users. */
export const demoAuthors = [...new Set(demoSnippets.map(({ owner }) => owner))].map(username => ({ username }))
