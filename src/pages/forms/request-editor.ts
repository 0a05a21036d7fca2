// A form that sends a body of any media type, as the caller writes it. HTML forms cannot, so it needs the script, with which it
// follows the form of fields while the caller types, and the form follows it.

import { html } from 'ghtml'
import { type Field, type Fields, type Form, hasParts, isSecret, listChildFields } from '#core'
import { escapeContent } from '../html/escape-content.ts'
import type { Words } from '../html/words.ts'
import { hasRows } from '../values/child-rows.ts'

export interface EditorParts {
  /** The body at first; undefined for none. */
  readonly body: unknown
  /** Path and query of the request. */
  readonly url: string
  readonly formContext: EditorContext
  /** The form for PATCH, if the page has one; an editor of PUT with the same fields does not repeat them. */
  readonly patch?: Form | undefined
}

interface EditorContext {
  /** The accepted media types of request bodies. */
  readonly mediaTypes: readonly string[]
  /** The name around an object in a JSON body; undefined if there is none. */
  readonly objectName: string | undefined
  readonly words: Words
}

export function requestEditor(
  method: string,
  { fields }: Form,
  { body, url, formContext, patch }: EditorParts,
): string {
  const { mediaTypes, objectName, words } = formContext
  const id = `editor-${method.toLowerCase()}`
  const content = body === undefined ? '' : escapeContent(JSON.stringify(body, null, 2))
  const kinds = JSON.stringify(describeKinds(fields))
  const isRepeated = method === 'PUT' && patch && JSON.stringify(describeKinds(patch.fields)) === kinds
  return html`<form class="editor" action="${url}" data-editor="${method}" !${isRepeated ? '' : html`data-fields="${kinds}"`} !${objectName === undefined ? '' : html`data-envelope="${objectName}"`} data-needs-script hidden>
<p><label for="${id}">${words('page.edit_json')}</label>
<textarea id="${id}" name="body" rows="4" spellcheck="false">!${'\n'}!${content}</textarea></p>
!${rowsNote(fields, words)}<p class="send"><button>${words('page.send')}</button> <select name="type" aria-label="${words('page.media_type')}">!${mediaTypes.map(type => html`<option>${type}</option>`)}</select></p>
</form>
`
}

// The rows do not follow the body.
function rowsNote(fields: Fields, words: Words): string {
  const names = Object.keys(fields).filter(name => hasRows(fields[name]!))
  if (names.length === 0) return ''
  const labels = names.map(name => words.label(name, fields[name]!)).join(', ')
  return html`<p class="help">${words('page.rows_stay', { names: labels })}</p>
`
}

/** The kind of a field, or of the fields of its children: those of one child, or of a list. */
type Kind = string | Kinds | readonly [Kinds]
interface Kinds {
  readonly [name: string]: Kind
}

// The script needs them to write the texts of a form as JSON. `?` marks a field for which an empty text is null, `-` one that it
// leaves out.
function describeKinds(fields: Fields): Kinds {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, { readOnly, file }]) => !readOnly && file === undefined)
      .map(([name, field]) => [
        name,
        hasRows(field) ? describeRows(field) : field.parts ? describeKinds(field.parts) : describeKind(field),
      ]),
  )
}

function describeRows(field: Field, depth = 0): Kind {
  // The body shows no secrets, and those of rows have no names by which the script could find them.
  const shown = Object.entries(listChildFields(field)).filter(([, part]) => findKind(part) !== 'secret')
  const describePart = (part: Field) => (hasRows(part, depth + 1) ? describeRows(part, depth + 1) : describeKind(part))
  const kinds = Object.fromEntries(shown.map(([name, part]) => [name, describePart(part)]))
  return field.childStorage!.isList ? [kinds] : kinds
}

const describeKind = (field: Field): string => {
  const { nullable, blank = false, required } = field
  return findKind(field) + (nullable ? '?' : required || blank ? '' : '-')
}

function findKind(field: Field): string {
  const { kind, relation, choices, child } = field
  if (isSecret(field)) return 'secret'
  if (kind.hasItems && (relation ?? choices ?? child?.choices)) return 'list'
  if (relation !== undefined) return 'key'
  if (choices === undefined && hasParts(kind)) return 'json'
  return kind.isCheckbox ? 'boolean' : kind.input === 'number' ? 'number' : 'text'
}
