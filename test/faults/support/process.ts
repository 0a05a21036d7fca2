// Reads the resources of a process from /proc (Linux).

import { readdir, readFile } from 'node:fs/promises'
import { Skip } from '../fault.ts'

/** Returns the resident memory in bytes. */
export async function residentMemory(pid: number): Promise<number> {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await read(pid, 'status')) ?? []
  return 1024 * Number(kilobytes)
}

/** Counts the open descriptors: files, sockets and pipes. */
export async function openDescriptors(pid: number): Promise<number> {
  return (await skipWithoutProc(readdir(`/proc/${pid}/fd`))).length
}

/** Returns the used processor time in seconds. */
export async function processorTime(pid: number): Promise<number> {
  const text = await read(pid, 'stat')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  // utime and stime, the 14th and 15th, in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Lists the ids of the running child processes. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await skipWithoutProc(readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'))
  return text.split(' ').filter(Boolean).map(Number)
}

const read = (pid: number, name: string): Promise<string> => skipWithoutProc(readFile(`/proc/${pid}/${name}`, 'utf8'))

async function skipWithoutProc<Result>(reading: Promise<Result>): Promise<Result> {
  if (process.platform !== 'linux') throw new Skip('this machine has no /proc')
  return reading
}

/**
 * Returns the client ports on 127.0.0.1 whose connections to `port` the server process still has open. The kernel keeps
 * a connection that the process has closed, without an inode, until the client has read the remaining bytes.
 */
export async function stillOpen(port: number, ports: readonly number[]): Promise<readonly number[]> {
  const table = await skipWithoutProc(readFile('/proc/net/tcp', 'utf8'))
  const open = new Set<number>()
  for (const line of table.trim().split('\n').slice(1)) {
    const [, local, remote, , , , , , , inode] = line.trim().split(/\s+/)
    if (parsePort(local!) === port && inode !== '0') open.add(parsePort(remote!))
  }
  return ports.filter(candidate => open.has(candidate))
}

// `0100007F:1F90`
const parsePort = (address: string): number => Number.parseInt(address.slice(address.indexOf(':') + 1), 16)
