// Samples the memory and the descriptors of a process over time.

import { openDescriptors, residentMemory } from './process.ts'

/** One sample; memory in bytes. */
export interface Sample {
  readonly memory: number
  readonly descriptors: number
}

export interface Watch {
  readonly samples: readonly Sample[]
  stop(): void
}

/** Takes a sample every `every` milliseconds. */
export function watchProcess(pid: number, every = 250): Watch {
  const samples: Sample[] = []
  const look = async () => samples.push({ memory: await residentMemory(pid), descriptors: await openDescriptors(pid) })
  // Stops when the process has exited.
  const timer = setInterval(() => void look().catch(() => clearInterval(timer)), every)
  return { samples, stop: () => clearInterval(timer) }
}

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`
