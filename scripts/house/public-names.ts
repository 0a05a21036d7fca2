// The names that the public doors export, read from their text.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The names by door, such as `./extend`. */
export function readPublicNames(root: string): ReadonlyMap<string, readonly string[]> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Readonly<Record<string, string>>
  }
  const doors = Object.entries(exports).filter(([, file]) => file.endsWith('.ts'))
  return new Map(doors.map(([door, file]) => [door, listNames(readFileSync(join(root, file), 'utf8'), file)]))
}

function listNames(text: string, file: string): readonly string[] {
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '[^']+'$/gm)]
  const statements = text.match(/^(?:export|import)\b/gm) ?? []
  if (lists.length < statements.length)
    throw new Error(`${file}: a door consists of lists of names: export { … } from '…'`)
  return lists.flatMap(([, names]) =>
    names!
      .split(',')
      .map(name => name.trim().replace(/^type /, ''))
      .filter(name => name !== ''),
  )
}
