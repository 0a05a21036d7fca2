// A page of the documentation, as modules and transcripts. The `ts` blocks of a page form one module, `main.ts`. A block
// whose first line is a comment with a file name, such as `// books.ts`, begins or continues another module, which the blocks after it
// continue. A `tsx` block makes its module a `.tsx` file. A `console` block shows what the commands print while the last
// module runs, and a `python` block that names `http://127.0.0.1:8000` is a program that calls it; a `text` block directly after
// a `ts` block shows the error with which the module fails.

import { parseBlock, type Transcript } from './transcripts.ts'

export interface Module {
  /** The file name, such as `main.ts`. */
  readonly name: string
  readonly code: string
  /** A program in Python that calls the server of the module; empty for none. */
  readonly python: string
  readonly transcripts: readonly Transcript[]
  /** A part of the error with which the module fails; undefined if it does not. */
  readonly failure: string | undefined
}

const blockPattern = /^```(\w+)\n(.*?)^```$/gms

export function parsePage(markdown: string): readonly Module[] {
  const modules: { -readonly [Key in keyof Module]: Module[Key] }[] = []
  let last: (typeof modules)[number] | undefined
  let end: number | undefined
  for (const match of markdown.matchAll(blockPattern)) {
    const [whole, language, content] = match as unknown as [string, string, string]
    const name = /^\/\/ ([\w.-]+\.ts)\n/.exec(content)?.[1]
    if (language === 'ts' || language === 'tsx') {
      const continued = name === undefined ? last : modules.find(module => module.name === name)
      if (continued === undefined)
        modules.push({ name: name ?? 'main.ts', code: content, python: '', transcripts: [], failure: undefined })
      else continued.code += `\n${content}`
      last = continued ?? modules.at(-1)!
      if (language === 'tsx') last.name = last.name.replace(/\.ts$/, '.tsx')
    } else if (language === 'python' && last !== undefined && content.includes('http://127.0.0.1:8000')) {
      last.python = content
    } else if (language === 'console') {
      if (last === undefined) throw new Error(`a console block needs a ts block before it: ${whole}`)
      last.transcripts = [...last.transcripts, ...parseBlock(content)]
    } else if (language === 'text' && end !== undefined && /^\s*$/.test(markdown.slice(end, match.index))) {
      last!.failure = content.trim()
    }
    end = language === 'ts' ? match.index + whole.length : undefined
  }
  return modules
}
