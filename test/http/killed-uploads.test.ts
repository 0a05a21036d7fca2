// A process is killed during writes with files: no object refers to a file that is missing, and what is left over is found.

import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { listUnusedFiles } from 'resource-api'
import { withBuiltPackage } from '../support/built-program.ts'
import { createForm, declareDocuments, onEachDocuments } from '../support/documents.ts'

const program = new URL('../support/crashing-files.ts', import.meta.url)

onEachDocuments(
  path => ({ resources: [declareDocuments(path)], secret: 's'.repeat(32) }),
  documents => {
    test('kill -9 while a file is written, before the commit and before the removal of the old file', async () => {
      const { api, path, listFiles } = documents()
      let child: ChildProcess | undefined
      let origin = ''
      const start = async () => {
        child = fork(program, [api.databaseUrl, path], withBuiltPackage)
        origin = (await once(child, 'message'))[0]
      }
      const send = (method: string, url: string, content: string, moment?: string) =>
        fetch(`${origin}${url}`, {
          method,
          body: createForm({ title: 'a', report: [content, 'a.txt'] }),
          headers: moment === undefined ? {} : { 'x-crash': moment },
        })
      const listReports = async (): Promise<readonly (string | undefined)[]> => {
        const list = (await api.get('/documents/').expect(200)).json() as { report: { url: string } | null }[]
        return Promise.all(
          list.map(async ({ report }) => report && (await api.get(report.url).expect(200)).text) as never,
        )
      }
      const listUnused = () => listUnusedFiles(api.app, { now: () => new Date(Date.now() + 2 * 60 * 60 * 1000) })
      await start()
      try {
        const created = await send('POST', '/documents/', 'first')
        const path = new URL(created.headers.get('location')!).pathname
        let current = 'first'
        let unused = 0
        for (const [method, url, moment] of [
          ['POST', '/documents/', 'inside'],
          ['POST', '/documents/', 'write'],
          ['PATCH', path, 'inside'],
          ['PATCH', path, 'remove'],
          ['PATCH', path, 'write'],
          ['PATCH', path, 'remove'],
        ] as const) {
          const exited = once(child!, 'exit')
          const content = `${moment} ${unused}`
          await assert.rejects(send(method, url, content, moment))
          await exited
          if (moment === 'remove') current = content
          unused += 1
          assert.deepEqual(await listReports(), [current])
          assert.equal((await listUnused()).length, unused)
          await start()
        }
        for (const file of await listUnused()) await file.remove()
        assert.deepEqual(await listReports(), [current])
        assert.equal((await listFiles()).length, 1)
      } finally {
        child?.kill('SIGKILL')
      }
    })
  },
)
