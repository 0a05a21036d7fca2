/**
 * `node scripts/check-sql.ts [root]`: checks that the `sql` templates outside of `src/core/database/` use only words that every database
 * understands, and where such templates stand. Prints each violation as `file:line: message` and exits 1 when there are any.
 * Decision 109 has the databases in mind: SQLite, PostgreSQL, MySQL and DuckDB.
 */
import { relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  isCallExpression,
  isNoSubstitutionTemplateLiteral,
  isStringLiteral,
  isTaggedTemplateExpression,
  isTemplateExpression,
  type Node,
} from 'typescript/unstable/ast'
import { readSources } from './read-sources.ts'

/** The text of an `sql` template, or of an argument of `sql.raw`. Each `${…}` in it is an ellipsis. */
export interface SqlText {
  /** The file, relative to the root, with forward slashes. */
  readonly file: string
  readonly line: number
  readonly text: string
}

/** A text that a database may not understand, and what to write instead. */
interface Word {
  readonly name: string
  readonly pattern: RegExp
  readonly advice: string
}

const words: readonly Word[] = [
  { name: '||', pattern: /\|\|/, advice: 'concat()' },
  { name: 'cast', pattern: /\bcast\s*\(|::/i, advice: 'castTo()' },
  { name: '->', pattern: /->/, advice: 'member() or jsonMember()' },
  { name: '/', pattern: /\//, advice: 'divide()' },
  { name: 'nulls first', pattern: /\bnulls\s+(?:first|last)\b/i, advice: 'orderItem()' },
  { name: 'length', pattern: /\blength\s*\(/i, advice: 'textLength()' },
  { name: 'lower', pattern: /\b(?:lower|upper)\s*\(/i, advice: '`lowerText` of the dialect' },
  { name: 'like', pattern: /\bi?like\b|\bglob\b/i, advice: '`isLike` of the dialect' },
  { name: 'collate', pattern: /\bcollate\b/i, advice: '`plainText` of the dialect' },
  {
    name: 'for update',
    pattern: /\bfor\s+(?:update|share)\b|\bskip\s+locked\b/i,
    advice: '`forUpdate` of the dialect',
  },
  { name: 'distinct from', pattern: /\bdistinct\s+from\b/i, advice: '`=` with a case for null' },
  { name: 'on conflict', pattern: /\bon\s+(?:conflict|duplicate)\b/i, advice: '`onConflict` of Kysely' },
  { name: 'returning', pattern: /\breturning\b/i, advice: '`returning` of Kysely' },
  { name: 'default values', pattern: /\bdefault\s+values\b/i, advice: '`defaultValues` of Kysely' },
  { name: 'create', pattern: /\b(?:create|alter|drop)\b/i, advice: '`kysely.schema`' },
  { name: 'key', pattern: /\bkey\b/i, advice: 'sql.id() or sql.ref(), because MySQL reserves the word' },
  { name: '"', pattern: /["`]/, advice: 'sql.id() or sql.ref()' },
  { name: 'array', pattern: /\b(?:any|array|unnest)\s*[([]/i, advice: '`isOneOf` of the dialect' },
  {
    name: 'functions of one database',
    pattern:
      /\b(?:json|jsonb|pg|sqlite|pragma)_\w+|\b(?:strftime|to_char|current_setting|string_agg|group_concat|instr|strpos)\s*\(/i,
    advice: 'a member of the dialect',
  },
]

/** The folders in which templates may stand. */
const folders: readonly string[] = [
  'src/accounts/',
  'src/accounts/admin/',
  'src/accounts/audit/',
  'src/accounts/own-account/',
  'src/accounts/password-reset/',
  'src/accounts/providers/',
  'src/accounts/second-factor/',
  'src/accounts/tokens/',
  'src/core/fields/',
  'src/core/fields/kinds/',
  'src/core/fields/relations/',
  'src/core/http/idempotency/',
  'src/core/policy/permissions/',
  'src/core/policy/throttling/',
  'src/core/resource/changes/',
  'src/core/resource/names/',
  'src/core/resource/query/',
  'src/core/resource/query/filters/',
  'src/core/resource/read/',
  'src/core/resource/related/',
  'src/core/resource/sql/',
  'src/core/resource/start/',
  'src/core/resource/write/',
  'src/core/resource/write/children/',
  'src/seed/snippets/',
]

/** The words that files need nevertheless: a database without them needs other statements there. */
export const exceptions: Readonly<Record<string, readonly string[]>> = {
  'src/core/resource/sql/many.ts': ['returning'],
  'src/core/resource/sql/statements.ts': ['returning'],
  'src/core/resource/sql/write.ts': ['default values'],
}

export function findSqlViolations(texts: readonly SqlText[], allowed = exceptions): string[] {
  const outside = texts.filter(({ file }) => !file.startsWith('src/core/database/'))
  return [
    ...outside.flatMap(one => findViolationsOfText(one, allowed[one.file] ?? [])),
    ...Object.entries(allowed).flatMap(([file, names]) =>
      names
        .filter(name => !outside.some(one => one.file === file && findWord(name).pattern.test(one.text)))
        .map(name => `${file}: no template says "${name}": remove the exception from scripts/check-sql.ts`),
    ),
  ]
}

function findViolationsOfText({ file, line, text }: SqlText, allowed: readonly string[]): string[] {
  const folder = file.slice(0, file.lastIndexOf('/') + 1)
  const said = words.filter(({ name, pattern }) => pattern.test(text) && !allowed.includes(name))
  return [
    ...(folders.includes(folder) ? [] : [`no sql template may stand in ${folder}`]),
    ...said.map(({ pattern, advice }) => `not every database understands "${pattern.exec(text)![0]}": use ${advice}`),
  ].map(message => `${file}:${line}: ${message}`)
}

const findWord = (name: string): Word => words.find(word => word.name === name)!

/** Every `sql` template of the shipped files, read by the compiler, so examples in comments count for nothing. */
export const readSqlTexts = (root: string): SqlText[] =>
  readSources(root, (path, source) => {
    const file = relative(root, path).split(sep).join('/')
    if (!file.startsWith('src/') || file.endsWith('.test.ts')) return []
    const texts: SqlText[] = []
    const visit = (node: Node): void => {
      for (const text of listTexts(node))
        texts.push({ file, line: source.text.slice(0, node.getStart(source)).split('\n').length, text })
      node.forEachChild(visit)
    }
    visit(source)
    return texts
  })

function listTexts(node: Node): readonly string[] {
  if (isTaggedTemplateExpression(node)) return isNamed(node.tag, 'sql') ? [toText(node.template)] : []
  if (isCallExpression(node)) return isNamed(node.expression, 'sql.raw') ? node.arguments.map(toText) : []
  return []
}

const isNamed = (node: Node, name: string): boolean => node.getText().trim() === name

function toText(node: Node): string {
  if (isNoSubstitutionTemplateLiteral(node) || isStringLiteral(node)) return node.text
  return isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…')
    : ''
}

if (import.meta.main) {
  const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)))
  const violations = findSqlViolations(readSqlTexts(root))
  for (const violation of violations) console.error(violation)
  process.exitCode = violations.length > 0 ? 1 : 0
}
