// What a process holds over time.

import { openDescriptors, residentMemory } from './process.ts'

/** What it held at one moment; memory in bytes. */
export interface Sample {
  readonly memory: number
  readonly descriptors: number
}

export interface Watch {
  readonly samples: readonly Sample[]
  stop(): void
}

/** Looks every so many milliseconds, default 250. */
export function watchProcess(pid: number, every = 250): Watch {
  const samples: Sample[] = []
  const look = async () => samples.push({ memory: await residentMemory(pid), descriptors: await openDescriptors(pid) })
  // The process may end in between.
  const timer = setInterval(() => void look().catch(() => clearInterval(timer)), every)
  return { samples, stop: () => clearInterval(timer) }
}

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`
