// Makes each function of src/ say that it is entered: `globalThis.enterFunction(file)`. It is loaded with `--import` before the service.

import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Node, parse } from 'acorn'

const source = new URL('../../src/', import.meta.url).href

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.startsWith(source) || !url.endsWith('.ts') || loaded.source == null) return loaded
    const text = stripTypeScriptTypes(String(loaded.source), { mode: 'strip' })
    return { format: 'module', source: instrument(text, fileURLToPath(url).slice(fileURLToPath(source).length)) }
  },
})

function instrument(text: string, file: string): string {
  const call = `globalThis.enterFunction?.(${JSON.stringify(file)})`
  const insertions: (readonly [position: number, text: string])[] = []
  visit(parse(text, { ecmaVersion: 'latest', sourceType: 'module' }), node => {
    if (!/Function/.test(node.type)) return
    const { body } = node as Node & { readonly body: Node }
    if (body.type === 'BlockStatement') insertions.push([body.start + 1, `${call};`])
    else insertions.push([body.start, `(${call},`], [body.end, ')'])
  })
  let [result, end] = ['', text.length]
  for (const [position, added] of insertions.toSorted((a, b) => b[0] - a[0])) {
    result = added + text.slice(position, end) + result
    end = position
  }
  return text.slice(0, end) + result
}

function visit(node: unknown, see: (node: Node) => void): void {
  if (typeof node !== 'object' || node === null) return
  if ('type' in node) see(node as Node)
  for (const value of Object.values(node)) visit(value, see)
}
