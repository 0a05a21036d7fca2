// The paths that a folder of files may have.

import { statSync } from 'node:fs'
import { isAbsolute, parse, relative, resolve, sep } from 'node:path'

/** Resolves the path from the working directory. Throws if it is missing, or names a folder that has other files. */
export function resolveFolder(path: string): string {
  if (typeof path !== 'string' || path === '')
    throw new Error("folder(): the path is missing: write folder('data/files')")
  const fail = (problem: string) => new Error(`folder('${path}'): ${problem}`)
  if (path.includes('\0')) throw fail('the path has a null character')
  const root = resolve(path)
  if (contains(root, process.cwd()))
    throw fail("the folder contains the working directory: name a folder of its own, such as folder('data/files')")
  if (systemFolders.includes(root) || root === parse(root).root)
    throw fail('the folder belongs to the operating system: name a folder of its own')
  if (!mayBeFolder(root)) throw fail('the path is a file: name a folder')
  return root
}

const systemFolders: readonly string[] =
  '/bin /boot /dev /etc /home /lib /lib32 /lib64 /proc /root /run /sbin /sys /tmp /usr /var'.split(' ')

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
}

// The folder is created with the first file, which shows whether it can be used.
function mayBeFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOTDIR'
  }
}
