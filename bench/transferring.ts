// Compares an upload and a download of 100 MB with streams by hand.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Usage } from './file-server.ts'
import { type Pair, type Row, type Section, summarizeRounds } from './report.ts'
import { rotate } from './rounds.ts'
import { receiveMessage } from './side.ts'

export interface TransferPace {
  readonly rounds: number
  /** The size of a file, in bytes. */
  readonly size: number
}

const text = `A file of 100 MB, sent to a resource with a \`file()\` in a folder as \`multipart/form-data\`, and read again. By hand: routes in
the same application. The body is the file itself, so nothing is parsed, and it is written with \`createWriteStream\` and read with
\`createReadStream\` in chunks of 1 MiB, which is faster than with the default of 64 KiB. Both flush the file and its folder to the disk
before they respond, and have its row in SQLite. Memory is the resident set size (RSS) after all transfers, compared with that
before them.`

const names = ['files', 'streams'] as const
type Name = (typeof names)[number]

interface Transfer {
  readonly upload: Figures
  readonly download: Figures
}

interface Figures {
  /** Megabytes per second. */
  readonly rate: number
  /** Microseconds of the server's processor time. */
  readonly processor: number
}

interface Side {
  readonly port: number
  findUsage(): Promise<Usage>
  close(): Promise<void>
}

export async function measureTransferring(folder: string, { rounds, size }: TransferPace): Promise<Section> {
  const path = join(folder, 'transfers')
  mkdirSync(path)
  const sides = { files: await startSide('files', path), streams: await startSide('streams', path) }
  try {
    for (const name of names) await transfer(name, sides[name], size)
    const before = await sides.files.findUsage()
    const found: Readonly<Record<Name, Transfer>>[] = []
    for (let number = 0; number < rounds; number++) {
      const round: Partial<Record<Name, Transfer>> = {}
      for (const name of rotate(names, number)) round[name] = await transfer(name, sides[name], size)
      found.push(round as Record<Name, Transfer>)
    }
    const row = (work: string, figure: keyof Transfer): Row => ({
      work,
      against: 'streams by hand',
      unit: 'MB/s',
      ...summarizeRounds(found.map(round => comparePair(round, side => side[figure].rate))),
      goal: { atLeast: 0.9 },
      processor: summarizeRounds(found.map(round => comparePair(round, side => side[figure].processor))),
    })
    const after = await sides.files.findUsage()
    const memory: Row = {
      work: 'memory after the transfers',
      against: 'before them',
      unit: 'MB',
      ...summarizeRounds([{ one: toMegabytes(after), other: toMegabytes(before) }]),
      goal: { below: 1.5 },
    }
    return { title: 'Files', text, rows: [row('upload', 'upload'), row('download', 'download'), memory] }
  } finally {
    for (const { close } of Object.values(sides)) await close()
    rmSync(path, { recursive: true })
  }
}

const comparePair = ({ files, streams }: Readonly<Record<Name, Transfer>>, find: (side: Transfer) => number): Pair => ({
  one: find(files),
  other: find(streams),
})

const toMegabytes = ({ memory }: Usage): number => memory / 1024 / 1024

async function transfer(name: Name, side: Side, size: number): Promise<Transfer> {
  let location = ''
  const uploading = await measure(side, size, async () => {
    location = await upload(name, side.port, size)
  })
  const downloading = await measure(side, size, async () => {
    const received = await download(side.port, `${location}content/`)
    if (received !== size) throw new Error(`${name}: ${received} of ${size} bytes were received`)
  })
  return { upload: uploading, download: downloading }
}

async function measure({ findUsage }: Side, size: number, work: () => Promise<void>): Promise<Figures> {
  const { processor } = await findUsage()
  const started = performance.now()
  await work()
  const rate = size / 1000 / (performance.now() - started)
  return { rate, processor: (await findUsage()).processor - processor }
}

const boundary = 'a-boundary-of-the-benchmark'
const head = `--${boundary}\r\nContent-Disposition: form-data; name="content"; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`
const chunk = Buffer.alloc(256 * 1024, 'ab\0cdefghijklmnopqrstuvwxyz')

async function upload(name: Name, port: number, size: number): Promise<string> {
  const [start, end] = name === 'files' ? [head, `\r\n--${boundary}--\r\n`] : ['', '']
  const headers = {
    'content-type': name === 'files' ? `multipart/form-data; boundary=${boundary}` : 'application/octet-stream',
    'content-length': start.length + size + end.length,
  }
  const sent = request({ port, host: '127.0.0.1', path: '/documents/', method: 'POST', headers })
  const responding = once(sent, 'response')
  Readable.from(createContent(start, size, end), { objectMode: false, highWaterMark: chunk.length }).pipe(sent)
  const [response] = await responding
  const body = (await response.toArray()).join('')
  if (response.statusCode !== 201) throw new Error(`${name} responded ${response.statusCode} ${body}`)
  return new URL(response.headers.location, 'http://localhost').pathname
}

function* createContent(start: string, size: number, end: string): Generator<Buffer> {
  if (start !== '') yield Buffer.from(start)
  for (let left = size; left > 0; left -= chunk.length) yield chunk.subarray(0, left)
  if (end !== '') yield Buffer.from(end)
}

async function download(port: number, path: string): Promise<number> {
  const sent = request({ port, host: '127.0.0.1', path }).end()
  const [response] = await once(sent, 'response')
  let received = 0
  for await (const part of response) received += part.length
  return received
}

async function startSide(name: Name, path: string): Promise<Side> {
  const child = fork(new URL('file-server.ts', import.meta.url), [name, path])
  const port = await receiveMessage<number>(child)
  return {
    port,
    findUsage() {
      child.send('usage')
      return receiveMessage<Usage>(child)
    },
    async close() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
