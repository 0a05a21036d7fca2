// Reads the steps of an owner from a folder, in which each file exports one step.

import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ReplayableSteps } from './replay-steps.ts'

/** Reads the steps of a folder, in the order of their names; returns steps that are no folder. */
export async function readSteps(steps: ReplayableSteps | string | URL): Promise<ReplayableSteps> {
  if (typeof steps !== 'string' && !(steps instanceof URL)) return steps
  const folder = typeof steps === 'string' && !steps.startsWith('file:') ? resolve(steps) : fileURLToPath(steps)
  const files = (await readdir(folder)).filter(file => /^\d{4,}_[\w-]+\.(?:ts|js|mts|mjs)$/.test(file)).toSorted()
  const found = files.map(async file => {
    const { default: step } = await import(pathToFileURL(resolve(folder, file)).href)
    return [file.slice(0, file.lastIndexOf('.')), step] as const
  })
  return Object.fromEntries(await Promise.all(found))
}
