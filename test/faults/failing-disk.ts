// The disk fails while the service runs: first every write fails, then pages of the file are lost.
// This test has failed with each of these defects: 500 or no `Retry-After` when writes fail (`brokenCodes` in
// src/core/database/sqlite/sqlite-errors.ts), and another status than 500 for lost pages (`damagedCodes` there).

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { defineFault, Skip } from './fault.ts'
import { type Answer, type HttpClient, openClient } from './support/http.ts'
import { compare, createLedger, type Ledger } from './support/ledger.ts'
import { type FaultService, newFolder, startService } from './support/service.ts'
import { until } from './support/until.ts'
import { createUsers } from './support/users.ts'

export default defineFault({
  name: 'failing disk and lost pages',
  promise:
    'Writes return 503 while the disk rejects them; lost objects return 500; other requests succeed, and the log reports the error.',
  scale: { full: { snippets: 150 }, short: { snippets: 40 } },
  async run({ snippets }) {
    const file = `${await newFolder()}/service.db`
    const databaseUrl = `sqlite:${file}`
    const [token] = await createUsers(databaseUrl, { username: 'admin', superuser: true })
    const ledger = createLedger()
    let service = await startService({ databaseUrl })
    let client = openClient(service.origin)
    await write(ledger, client, token!, snippets)
    const refused = await whileWritesFail(service, client, token!, ledger)
    await compare(ledger.entries, client, token!, databaseUrl)
    client.close()
    // Stopping moves all content from the write-ahead log into the file.
    assert.equal((await service.stop()).code, 0)
    service = await startService({ databaseUrl, port: service.port })
    client = openClient(service.origin)
    const lost = await losePages(service, client, token!, ledger, file)
    client.close()
    assert.equal((await service.stop()).code, 0)
    return `${refused} writes that the disk rejected returned 503 with Retry-After, reads meanwhile 200, and the next writes succeeded; with the second half of the file zeroed under the running service ${lost} of ${snippets} snippets returned 500 and the others were unchanged, the log reports "malformed", and the same process continued and exited after SIGTERM`
  },
})

async function write(ledger: Ledger, client: HttpClient, token: string, snippets: number): Promise<void> {
  for (let count = 0; count < snippets; count++) {
    const entry = ledger.add('snippets', randomUUID())
    const code = `${randomUUID()}\n`.repeat(600)
    const answer = await ledger.write(client, token, entry, { title: entry.name, code, language: 'text' })
    assert.equal(answer?.status, 201, answer?.text)
  }
}

// Limits the file size, so that writes beyond the first page fail with EFBIG.
async function whileWritesFail(
  { pid, output }: FaultService,
  client: HttpClient,
  token: string,
  ledger: Ledger,
): Promise<number> {
  await limitFiles(pid, 4096)
  const entries = ledger.entries.slice(0, 10)
  let refused = 0
  for (const entry of entries) {
    const created = ledger.add('users', randomUUID())
    const answers = [
      await ledger.write(client, token, created, { username: created.name, groups: [] }),
      await ledger.write(client, token, entry, { title: entry.name, code: 'x' }),
      await ledger.write(client, token, entry, null),
    ]
    for (const answer of answers) assertUnavailable(answer)
    refused += answers.length
    entry.pending = undefined
    created.pending = undefined
    const read = await client.get(entry.path!, { token })
    assert.deepEqual([read.status, read.text], [200, entry.body])
  }
  await limitFiles(pid, 'unlimited')
  for (const entry of entries) {
    const answer = await ledger.write(client, token, entry, { title: entry.name, code: 'written again' })
    assert.equal(answer?.status, 200, answer?.text)
  }
  await until('the error is logged', () => /^warning: .+service\.db: disk I\/O error$/m.test(output()))
  return refused
}

async function limitFiles(pid: number, size: number | 'unlimited'): Promise<void> {
  await promisify(execFile)('prlimit', [`--pid=${pid}`, `--fsize=${size}:`]).catch(error => {
    throw new Skip(`this machine has no prlimit: ${(error as Error).message}`)
  })
}

function assertUnavailable(answer: Answer | undefined): void {
  assert.equal(answer?.status, 503, answer?.text)
  assert.ok(Number(answer?.headers['retry-after']) > 0)
  assert.match(answer!.json().detail, /temporarily unavailable/)
}

async function losePages(
  service: FaultService,
  client: HttpClient,
  token: string,
  ledger: Ledger,
  path: string,
): Promise<number> {
  const { size } = await stat(path)
  const kept = 4096 * Math.floor(size / 4096 / 2)
  const file = await open(path, 'r+')
  await file.write(Buffer.alloc(size - kept), 0, size - kept, kept)
  await file.close()
  let [lost, found, cut] = [0, 0, 0]
  const stored = ledger.entries.filter(entry => entry.body !== undefined)
  for (const { path: place, body } of stored) {
    const { status, text, headers } = await client.get(place!, { token })
    if (status === 200) {
      // SQLite has no checksums: it cannot detect that the last pages of one row, which crosses the boundary, are zeroed.
      if (text === body) found++
      else cut++
      continue
    }
    assert.equal(status, 500, text)
    assert.match(headers['content-type'] ?? '', /^application\/json/)
    lost++
  }
  assert.ok(cut <= 1, `${cut} snippets differ`)
  assert.ok(lost > stored.length / 4 && found > stored.length / 4, `${lost} were lost, and ${found} were not`)
  assert.equal((await client.get('/')).status, 200)
  assert.equal((await client.get('/directory/users/1/', { token })).status, 200)
  assert.match(service.output(), /database disk image is malformed/)
  return lost
}
