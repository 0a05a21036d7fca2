// What a process holds, as Linux tells it in /proc.

import { readdir, readFile } from 'node:fs/promises'
import { Skip } from '../fault.ts'

/** The memory that it occupies, in bytes. */
export async function residentMemory(pid: number): Promise<number> {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await read(pid, 'status')) ?? []
  return 1024 * Number(kilobytes)
}

/** How many descriptors it has open: files, sockets and pipes. */
export async function openDescriptors(pid: number): Promise<number> {
  return (await guarded(readdir(`/proc/${pid}/fd`))).length
}

/** The processor time that it has used, in seconds. */
export async function processorTime(pid: number): Promise<number> {
  const text = await read(pid, 'stat')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  // utime and stime, the 14th and 15th, in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** The processes that it has started and that still run. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await guarded(readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'))
  return text.split(' ').filter(Boolean).map(Number)
}

const read = (pid: number, name: string): Promise<string> => guarded(readFile(`/proc/${pid}/${name}`, 'utf8'))

async function guarded<Result>(reading: Promise<Result>): Promise<Result> {
  if (process.platform !== 'linux') throw new Skip('this machine has no /proc')
  return reading
}

/**
 * Those of these ports on 127.0.0.1 whose connections to `port` the other side still has open. The kernel keeps a
 * connection that its process has closed, without a descriptor, until the client has taken the rest.
 */
export async function stillOpen(port: number, ports: readonly number[]): Promise<readonly number[]> {
  const table = await guarded(readFile('/proc/net/tcp', 'utf8'))
  const open = new Set<number>()
  for (const line of table.trim().split('\n').slice(1)) {
    const [, local, remote, , , , , , , inode] = line.trim().split(/\s+/)
    if (portOf(local!) === port && inode !== '0') open.add(portOf(remote!))
  }
  return ports.filter(candidate => open.has(candidate))
}

// `0100007F:1F90`
const portOf = (address: string): number => Number.parseInt(address.slice(address.indexOf(':') + 1), 16)
