// A real S3-compatible server in this process.

import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface S3Server extends AsyncDisposable {
  /** The URL of a bucket. */
  readonly endpoint: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** Stops the server: requests fail from now on. */
  stop(): Promise<void>
}

interface S3rver {
  configureBuckets(): Promise<void>
  callback(): Parameters<typeof createServer>[1]
}

type S3rverClass = new (options: object) => S3rver

export async function startS3(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 's3-'))
  const { default: Rver } = (await import('s3rver' as string)) as { readonly default: S3rverClass }
  const s3rver = new Rver({ directory, silent: true, configureBuckets: [{ name: 'files', configs: [] }] })
  await s3rver.configureBuckets()
  const server = createServer(s3rver.callback()).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/files`,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    stop: () => close(server),
    async [Symbol.asyncDispose]() {
      await close(server)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  if (server.listening) await new Promise(resolve => server.close(resolve))
}
