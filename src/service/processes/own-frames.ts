// Finds the part of a stack that its reader wrote: frames of Node, of packages and of this package are left out.

import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this package's modules. */
const ownFolder = fileURLToPath(new URL('../..', import.meta.url))

/** Returns the lines of the stack that begin with `at` and name a file of the application, without indentation. */
export const listOwnFrames = ({ stack = '' }: Error): readonly string[] =>
  stack
    .split('\n')
    .map(line => line.trim())
    .filter(line => /^at .*\.[cm]?[jt]sx?:\d+:\d+\)?$/.test(line) && !isForeign(line))

const isForeign = (line: string): boolean =>
  /[ (]node:/.test(line) || line.includes(`${sep}node_modules${sep}`) || line.includes(ownFolder)
