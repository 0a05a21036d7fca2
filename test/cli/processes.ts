// Finds the child processes of a command.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** The ids of the running children of a process. */
export async function childrenOf(parent: number): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat='])
  return stdout
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/))
    .filter(([, ppid, stat]) => Number(ppid) === parent && !stat!.startsWith('Z'))
    .map(([pid]) => Number(pid))
}

/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
