// Runs nginx with deploy/nginx.conf, but with other ports, paths and upstream processes.

import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import type { TestResponse } from '../support/client.ts'
import { freePort } from '../support/free-port.ts'
import { eventually } from '../support/patience.ts'

// Distributions install nginx in folders outside the PATH of normal users.
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` }

/** The host name in the configuration. */
export const host = 'api.example.org'

export interface ProxyRequest {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** The client's address, which must be a loopback address of this machine. Default: 127.0.0.1. */
  readonly from?: string
}

export interface NginxProxy {
  /** The URL of the server that redirects to HTTPS. */
  readonly plainOrigin: string
  request(method: string, path: string, options?: ProxyRequest): Promise<TestResponse>
  /** Opens a connection and sends nothing. */
  open(name?: string): Promise<TLSSocket>
  /** The lines of the access log. */
  log(): Promise<readonly Record<string, unknown>[]>
  stop(): Promise<void>
}

/** The reason why nginx cannot run here; false if it can. */
export function whyNoNginx(): string | false {
  if (process.platform !== 'linux') return 'the loopback addresses 127.0.0.2 and 127.0.0.3 need Linux'
  const missing = ['nginx', 'openssl'].filter(program => !isInstalled(program))
  return missing.length > 0 && `${missing.join(' and ')} not installed`
}

/** Starts nginx in front of the processes that listen on these ports. */
export async function startNginx(ports: readonly number[]): Promise<NginxProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'resource-api-nginx-'))
  const [port, plainPort] = [await freePort(), await freePort()]
  const key = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const names = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`]
  await promisify(execFile)('openssl', [...key, ...names, '-keyout', 'privkey.pem', '-out', 'fullchain.pem'], {
    cwd: folder,
  })
  await writeFile(join(folder, 'site.conf'), await adaptConfiguration({ folder, port, plainPort, ports }))
  await writeFile(join(folder, 'nginx.conf'), mainConfiguration(folder))
  const nginx = spawn('nginx', ['-p', folder, '-c', 'nginx.conf', '-e', join(folder, 'error.log')], {
    stdio: 'ignore',
    env,
  })
  const ca = await readFile(join(folder, 'fullchain.pem'))
  const target = { host: '127.0.0.1', port, servername: host, ca }
  const open = async (name = host) => {
    const socket = connect({ ...target, servername: name })
    await once(socket, 'secureConnect')
    return socket
  }
  const stop = async () => {
    nginx.kill('SIGTERM')
    if (nginx.exitCode === null) await once(nginx, 'exit')
    await rm(folder, { recursive: true, force: true })
  }
  await eventually(async () => {
    if (nginx.exitCode !== null) throw new Error(await readFile(join(folder, 'error.log'), 'utf8'))
    const socket = await open().catch(() => undefined)
    socket?.destroy()
    return socket !== undefined
  }, 'nginx accepts connections').catch(error => stop().then(() => Promise.reject(error)))
  return {
    plainOrigin: `http://127.0.0.1:${plainPort}`,
    open,
    request: (method, path, { headers, body, from = '127.0.0.1' } = {}) =>
      send({ ...target, method, path, localAddress: from, headers: { host, ...headers }, agent: false }, body),
    async log() {
      const text = await readFile(join(folder, 'access.log'), 'utf8')
      return text
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line))
    },
    stop,
  }
}

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, [program === 'nginx' ? '-v' : 'version'], { stdio: 'ignore', env })
    return true
  } catch {
    return false
  }
}

interface NginxLayout {
  readonly folder: string
  readonly port: number
  readonly plainPort: number
  readonly ports: readonly number[]
}

// With a small send buffer, the test can tell which process waits for a slow client.
async function adaptConfiguration({ folder, port, plainPort, ports }: NginxLayout): Promise<string> {
  let text = await readFile(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8')
  const replace = (pattern: RegExp, by: string) => {
    if (!pattern.test(text)) throw new Error(`deploy/nginx.conf has no ${pattern}`)
    text = text.replace(pattern, by)
  }
  replace(/^ *listen \[::\]:.*\n/gm, '')
  replace(/listen 443 (ssl default_server);/g, `listen 127.0.0.1:${port} $1 sndbuf=16k;`)
  replace(/listen 443 /g, `listen 127.0.0.1:${port} `)
  replace(/listen 80;/g, `listen 127.0.0.1:${plainPort};`)
  for (const [index, upstream] of ports.entries())
    replace(new RegExp(`server 127\\.0\\.0\\.1:${8000 + index} `), `server 127.0.0.1:${upstream} `)
  replace(/\/etc\/ssl\/resource-api\//g, `${folder}/`)
  replace(/\/var\/log\/nginx\/resource-api\.log/g, `${folder}/access.log`)
  return text
}

const mainConfiguration = (folder: string): string => `
daemon off;
worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 512; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${folder}/${name};`).join(' ')}
  include ${folder}/site.conf;
}
`

async function send(options: RequestOptions, body: string | Buffer | undefined): Promise<TestResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<TestResponse>()
  const headers = { ...options.headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }) }
  const request = httpsRequest({ ...options, headers }, response => {
    const chunks: Buffer[] = []
    response.on('data', chunk => chunks.push(chunk))
    response.on('error', reject)
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const fields = response.headers as Record<string, string>
      resolve({ status: response.statusCode!, headers: fields, text, json: () => JSON.parse(text) })
    })
  })
  request.on('error', reject)
  request.end(body)
  return promise
}
