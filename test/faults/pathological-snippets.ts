// Code in every language that would keep highlighters busy for minutes.
// This test has failed with each of these defects: highlighting that is not aborted at its deadline (`deadline` in
// src/seed/snippets/profile.ts), and code that is trimmed (`trim` in src/seed/snippets/snippet-fields.ts).

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { normalizeLineEnds } from '../../src/seed/snippets/highlighting/document.ts'
import { languages } from '../../src/seed/snippets/highlighting/languages.ts'
import { codeIn } from '../../src/seed/snippets/highlighting/testing.ts'
import { defineFault } from './fault.ts'
import { type HttpClient, openClient } from './support/http.ts'
import { runConcurrently } from './support/ledger.ts'
import { readSpeed } from './support/machine.ts'
import { megabytes, type Sample, watchProcess } from './support/memory.ts'
import { formatProbe, startProbe } from './support/probe.ts'
import { newFolder, startService } from './support/service.ts'
import { until } from './support/until.ts'
import { createUsers } from './support/users.ts'

/**
 * At least this share of the snippets is in colours when eight are highlighted at once; the others are too long or take
 * too long, as most do on a busy machine.
 */
const minColoured = 0.04
/** Milliseconds. */
const bounds = { probe: 250, create: 12_000, recovery: 10_000 }
const maxMemory = 900_000_000
const inParallel = 8

const lines = (line: string, maxLength = 100_000): string =>
  `${line}\n`.repeat(Math.floor(maxLength / (line.length + 1)))

// All except the first are within the limits of highlighting, so the grammars parse them.
const shapes: Readonly<Record<string, string>> = {
  'one long line': 'a'.repeat(80_000),
  'long words': lines('a'.repeat(5000)),
  'deep nesting': [
    '('.repeat(4900),
    '[{('.repeat(1600),
    '<a '.repeat(1600),
    'a<b<c(a:b,'.repeat(480),
    '{'.repeat(4900),
  ].join('\n'),
  'nothing closed': lines(`"abc 'def \`ghi /* <!-- """ ''' <<EOF {# (* {- #| ${'x = "foo '.repeat(300)}`),
  emphasis: lines('*a '.repeat(1600)),
}

export default defineFault({
  name: 'pathological snippets in every language',
  promise: `Other requests get a response within ${bounds.probe} ms; each snippet is stored byte for byte and shown highlighted or as plain text, or rejected with 503.`,
  // Every nth language, and the number of snippets at once.
  scale: { full: { every: 1, burst: 120 }, short: { every: 20, burst: 40 } },
  async run({ every, burst }) {
    const folder = await createMemoryFolder()
    const databaseUrl = `sqlite:${folder}/service.db`
    const [token] = await createUsers(databaseUrl, { username: 'author' })
    const service = await startService({ databaseUrl })
    const client = openClient(service.origin, { timeout: bounds.create })
    const quick = await create(client, token!, { language: 'json', code: '{"a": 1}', title: 'probed' })
    assert.ok(await isColoured(client, quick.path!))
    const probe = await startProbe({ origin: service.origin, paths: { [quick.path!]: [200] } })
    const watch = watchProcess(service.pid)
    try {
      const finding = [await tryLanguages(client, token!, every), await sendBurst(client, token!, burst)]
      const seen = await probe.stop()
      assert.deepEqual(seen.failures, [])
      const memory = checkMemory(watch.samples)
      assert.ok(service.isRunning())
      assert.doesNotMatch(service.output(), /unhandled/i)
      finding.push(`meanwhile another client read a snippet: ${formatProbe(seen)}`, memory)
      assert.ok(seen.judged.max < bounds.probe, `another client waited: ${finding.join('; ')}`)
      return finding.join('; ')
    } finally {
      watch.stop()
      client.close()
      await service.stop()
      await rm(folder, { recursive: true })
    }
  },
})

// The database is in memory, because a commit that waits for a busy disk can take as long as the bound.
async function createMemoryFolder(): Promise<string> {
  const memory = '/dev/shm'
  return existsSync(memory) ? mkdtemp(`${memory}/fault-`) : newFolder()
}

async function tryLanguages(client: HttpClient, token: string, every: number): Promise<string> {
  const ids = [...new Set(languages.values())].filter((_, index) => index % every === 0)
  const tasks = Object.entries(shapes).flatMap(([title, code]) => ids.map(language => ({ title, code, language })))
  const tally = createTally()
  await runConcurrently(tasks, inParallel, async snippet => tally.note(await createAndRead(client, token, snippet)))
  assert.ok(tally.coloured() >= minColoured * tasks.length * readSpeed(), tally.text())
  return `${ids.length} languages, ${Object.keys(shapes).length} kinds of code in each, ${inParallel} at once: ${tally.text()}`
}

// Sends more snippets at once than can be highlighted within the time limit for waiting.
async function sendBurst(client: HttpClient, token: string, size: number): Promise<string> {
  const hostile = { title: 'burst', code: shapes.emphasis!, language: 'markdown' }
  const tally = createTally()
  const createOne = async () => tally.note(await createAndRead(client, token, hostile))
  await Promise.all(Array.from({ length: size }, createOne))
  const start = performance.now()
  await until(
    'a snippet has colours again',
    async () => {
      const { path } = await create(client, token, { title: '', code: '{"a": 1}', language: 'json' })
      return path !== undefined && isColoured(client, path)
    },
    { within: bounds.recovery },
  )
  const again = performance.now() - start
  return `${size} of the slowest at once: ${tally.text()}; highlighted again ${again.toFixed(0)} ms later`
}

interface Snippet {
  readonly title: string
  readonly code: string
  readonly language: string
}

/** The result of creating a snippet; `path` is undefined if it was rejected. */
interface Created {
  readonly status: number
  readonly milliseconds: number
  readonly path?: string
}

async function create(client: HttpClient, token: string, snippet: Snippet): Promise<Created> {
  const json = { ...snippet, linenos: true }
  const { status, headers, milliseconds, ...answer } = await client.ask('POST', '/snippet/snippets/', { token, json })
  const what = `${snippet.title} as ${snippet.language}`
  if (status === 503) {
    assert.match(headers['retry-after'] ?? '', /^\d+$/, what)
    return { status, milliseconds }
  }
  assert.equal(status, 201, `${what}: ${answer.text.slice(0, 200)}`)
  const stored: Snippet = answer.json()
  assert.ok(stored.code === snippet.code, `${what} is returned unchanged`)
  return { status, milliseconds, path: new URL(headers.location!).pathname }
}

interface Seen extends Created {
  readonly isColoured: boolean
}

async function createAndRead(client: HttpClient, token: string, snippet: Snippet): Promise<Seen> {
  const created = await create(client, token, snippet)
  if (created.path === undefined) return { ...created, isColoured: false }
  const what = `${snippet.title} as ${snippet.language}`
  const read = await client.get(created.path)
  assert.ok(read.json().code === snippet.code, `${what} is stored unchanged`)
  const page = await client.get(`${created.path}highlight/`)
  assert.equal(page.status, 200)
  assert.match(page.text.slice(-20), /<\/html>\n$/, what)
  assert.ok(codeIn(page.text) === normalizeLineEnds(snippet.code), `${what} is shown unchanged`)
  return { ...created, isColoured: page.text.includes('<span class="c0">') }
}

const isColoured = async (client: HttpClient, path: string): Promise<boolean> =>
  (await client.get(`${path}highlight/`)).text.includes('<span class="c0">')

function createTally() {
  const counts = { coloured: 0, plain: 0, refused: 0 }
  let longest = 0
  return {
    note({ status, isColoured: inColours, milliseconds }: Seen) {
      counts[status === 503 ? 'refused' : inColours ? 'coloured' : 'plain']++
      longest = Math.max(longest, milliseconds)
    },
    coloured: () => counts.coloured,
    text: () =>
      `${counts.coloured} highlighted, ${counts.plain} plain, ${counts.refused} rejected, the slowest after ${(longest / 1000).toFixed(1)} s`,
  }
}

// The bound includes the highlighting threads. mixed-load.ts tests that memory does not grow over time.
function checkMemory(samples: readonly Sample[]): string {
  const peak = Math.max(...samples.map(({ memory }) => memory))
  const text = `memory at most ${megabytes(peak)}`
  assert.ok(peak < maxMemory, text)
  return text
}
