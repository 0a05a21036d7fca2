// The files of the published package that are not compiled: assets, the documents, and every file that a document links to.

import { cpSync, existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** Documents that are published; so are all Markdown files that they link to, and so on. */
const documents = ['README.md', 'CHANGELOG.md', 'LICENSE', 'SECURITY.md']

/** Copies the files beside the sources that are not TypeScript. */
export function copyAssets(from: string, to: string): void {
  for (const file of globSync('**/*', { cwd: from, withFileTypes: true })) {
    if (!file.isFile() || /\.ts$/.test(file.name)) continue
    const path = relative(from, join(file.parentPath, file.name))
    cpSync(join(from, path), join(to, path))
  }
}

/** Copies the documents and whatever their relative links lead to, so that every link works in the package too. */
export function copyDocuments(root: string, out: string): void {
  for (const file of findLinked(root, documents)) cpSync(join(root, file), join(out, file), { recursive: true })
}

/** The given files and all files and folders that they link to, relative to the root. */
function findLinked(root: string, files: readonly string[]): ReadonlySet<string> {
  const found = new Set(files)
  for (const file of found) {
    if (!file.endsWith('.md') && !isFolder(join(root, file))) continue
    for (const document of findDocuments(root, file)) for (const link of findLinks(root, document)) found.add(link)
  }
  return found
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()

const findDocuments = (root: string, file: string): readonly string[] =>
  isFolder(join(root, file)) ? globSync(`${file}/**/*.md`, { cwd: root }) : [file]

/** The targets of the relative links of a document, relative to the root. */
export function findLinks(root: string, document: string): readonly string[] {
  const text = readFileSync(join(root, document), 'utf8')
  return [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)[^)]*\)/g)].map(([, link]) =>
    relative(root, resolve(root, dirname(document), link!)).replaceAll('\\', '/'),
  )
}
