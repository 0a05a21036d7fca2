// The form control of a file: the current file, an input for another one, and a checkbox that removes it.

import { html } from 'ghtml'
import type { Field, FileRules, ShownFile } from '#core'
import { formatNumber } from '../html/format-value.ts'
import type { Words } from '../html/words.ts'

/** The link to a file, with its name as the text. */
export const fileLink = ({ url, name }: Pick<ShownFile, 'url' | 'name'>): string => html`<a href="${url}">${name}</a>`

/** A file on the page of its object, with its type and size. */
export const fileHtml = (file: ShownFile, rules: FileRules, words: Words): string =>
  html`!${previewHtml(file, rules)}!${fileLink(file)} <span class="help">${file.type} &middot; ${words('page.bytes', { count: formatNumber(file.size, words.language) })}</span>`

interface FileControl {
  readonly name: string
  /** The JSON of the current file; empty if there is none. */
  readonly value: string
  /** Escaped. */
  readonly attributes: string
  readonly words: Words
}

export function fileControl(
  { file: own, child, nullable }: Field,
  { name, value, attributes, words }: FileControl,
): string {
  const file = own ?? child?.file
  const accept = file?.types === undefined ? '' : html`accept="${file.types.join(',')}"`
  const input = html`<input type="file" !${accept} !${attributes}!${own ? '' : ' multiple'}>`
  if (value === '') return input
  const current = JSON.parse(value) as ShownFile
  const remove = html`<label class="remove"><input type="checkbox" name="${name}" value=""> ${words('page.remove_file')}</label>`
  return html`<p class="help">!${previewHtml(current, file!)}!${fileLink(current)} (${current.type}, ${words('page.bytes', { count: formatNumber(current.size, words.language) })})</p>
!${input}!${nullable ? remove : ''}`
}

const previewHtml = ({ url }: ShownFile, { maxImage }: FileRules): string =>
  maxImage === undefined ? '' : html`<img class="preview" src="${url}" alt=""> `
