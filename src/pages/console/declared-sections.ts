// The sections of the panel that follow from the declaration of a view: its fields and its errors. They are rendered once per
// language, unless they differ by caller.

import { listVisibleFields, type View } from '#core'
import type { PageContext } from '../page/page-context.ts'
import { errorsSection } from './errors-section.ts'
import { fieldsSection, findDeclaredFields } from './fields-section.ts'

const htmlOfViews = new WeakMap<View, Map<string, string>>()

/** The HTML of the sections. */
export function declaredSections(context: PageContext): string {
  const { view, words } = context
  const cachedHtml = htmlOfViews.get(view)?.get(words.language)
  if (cachedHtml !== undefined) return cachedHtml
  const created = fieldsSection(context) + errorsSection(context)
  // A request with an invalid host has no caller.
  if (context.requestContext === undefined || differsByCaller(view)) return created
  const byLanguage = htmlOfViews.get(view) ?? new Map<string, string>()
  htmlOfViews.set(view, byLanguage.set(words.language, created))
  return created
}

function differsByCaller(view: View): boolean {
  const { fields, filters, searchFields, orderingFields } = view.listMetadata ?? {}
  const hasConditions = [findDeclaredFields(view), fields, filters, searchFields, orderingFields].some(
    declared => declared !== undefined && listVisibleFields(declared, undefined) !== declared,
  )
  const permissions = Object.keys(view.forms).flatMap(method => view.forMethod(method).permissions)
  return hasConditions || permissions.some(({ audience }) => typeof audience === 'function')
}
