// docs/settings.md lists every setting, with its environment variable and its default.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as z from 'zod'
import { directorySettings } from '../src/seed/directory/directory.ts'
import { snippetSettings } from '../src/seed/snippets/settings.ts'
import { settingsSchema, variables } from '../src/service/settings/settings.ts'

const page = readFileSync(new URL('../docs/settings.md', import.meta.url), 'utf8')
const [service, ...profiles] = page.split(/^## (?=Settings of)/m)

/** The rows of all tables: the cells after the first one, by the name in the first one. */
const readRows = (text: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...text.matchAll(/^\| `([\w.]+)` \|(.*) \|$/gm)].map(([, name, cells]) => [
      name!,
      cells!.split(' |').map(cell => cell.trim()),
    ]),
  )

const rows = readRows(service!)

/** The names and defaults of all settings; the members of `limits` have a page of their own. */
function listSettings(type: z.core.$ZodType, value: unknown, path: string): readonly (readonly [string, unknown])[] {
  const inner = unwrap(type)
  if (!(inner instanceof z.ZodObject) || path === 'limits') return [[path, value]]
  return Object.entries(inner.shape).flatMap(([name, member]) =>
    listSettings(member, Object(value)[name] ?? readDefault(member), path === '' ? name : `${path}.${name}`),
  )
}

function unwrap(type: z.core.$ZodType): z.core.$ZodType {
  const { innerType, out } = type._zod.def as { innerType?: z.core.$ZodType; out?: z.core.$ZodType }
  const inner = innerType ?? out
  return inner === undefined ? type : unwrap(inner)
}

const readDefault = (type: z.core.$ZodType): unknown => z.safeParse(type, undefined).data

/** Compares the cell of a default. A value that other settings determine is described in words. */
function checkDefault(name: string, cell: string, value: unknown): void {
  const isEmpty =
    value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
  if (isEmpty) assert.ok(!cell.startsWith('`'), `${name}: ${cell}`)
  else if (name !== 'limits') assert.ok(cell.startsWith(`\`${value}\``), `${name}: ${cell}, not ${value}`)
}

test('docs/settings.md lists each setting of the service with its default, and no others', () => {
  const settings = listSettings(settingsSchema, settingsSchema.parse({}), '')
  assert.deepEqual([...rows.keys()].toSorted(), settings.map(([name]) => name).toSorted())
  for (const [name, value] of settings) checkDefault(name, rows.get(name)![1]!, value)
})

test('docs/settings.md lists each environment variable beside its setting', () => {
  const listed = [...rows].filter(([, [variable]]) => variable !== '').map(([name, [variable]]) => [variable, name])
  const expected = Object.entries(variables).map(([variable, name]) => [`\`${variable}\``, name])
  assert.deepEqual(Object.fromEntries(listed), Object.fromEntries(expected))
})

test('docs/settings.md lists the settings of the profiles with their defaults', () => {
  for (const [index, schema] of [directorySettings, snippetSettings].entries()) {
    const profileRows = readRows(profiles[index]!)
    const settings = listSettings(schema, schema.parse({}), '')
    assert.deepEqual(
      [...profileRows.keys()],
      settings.map(([name]) => name),
    )
    for (const [name, value] of settings) checkDefault(name, profileRows.get(name)![0]!, value)
  }
})
