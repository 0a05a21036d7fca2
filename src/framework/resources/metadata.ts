// What OPTIONS says of a resource: the fields that each writing method takes, where this caller may call it.

import { NotFound } from '../errors/exceptions.ts'
import type { Field, Fields } from '../fields/field.ts'
import { type PermissionObject, permits } from '../permissions/permission.ts'
import { type Call, type ViewOptions, viewFor } from '../view.ts'

/** A method whose fields are described. */
export interface DescribedMethod {
  readonly fields: Fields
  /** Throws NotFound where nothing is at this URL; answers what the object permissions read of what is judged. */
  readonly judge?: (call: Call) => Promise<PermissionObject | undefined>
}

const described = ['POST', 'PUT']

/** Answers `actions` with the fields of each method that this caller may call; nothing where there is none. */
export function describeMethods(
  methods: Readonly<Record<string, DescribedMethod>>,
): NonNullable<ViewOptions['describe']> {
  return async call => {
    const actions: Record<string, object> = {}
    for (const [method, { fields, judge }] of Object.entries(methods)) {
      if (described.includes(method) && (await mayCall(call, method, judge))) actions[method] = describeFields(fields)
    }
    return Object.keys(actions).length === 0 ? {} : { actions }
  }
}

async function mayCall(call: Call, method: string, judge: DescribedMethod['judge']): Promise<boolean> {
  const asked = { ...call, method, view: viewFor(call.view, method) }
  try {
    return (await permits(asked)) && (judge === undefined || (await permits(asked, await judge(asked))))
  } catch (error) {
    if (error instanceof NotFound) return false
    throw error
  }
}

/** Fields as Django REST framework describes them. */
export function describeFields(fields: Fields): Record<string, object> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, describeField(name, field)]))
}

function describeField(name: string, field: Field): object {
  const { type, required, readOnly, help, bounds, choices, child, children } = field
  return {
    type,
    required,
    read_only: readOnly,
    label: labelOf(name, field),
    ...(help !== undefined && { help_text: help }),
    ...bounds,
    ...(choices && { choices: [...choices].map(value => ({ value, display_name: value })) }),
    ...(child && { child: describeField('', child) }),
    ...(children && { children: describeFields(children) }),
  }
}

/** `in_print` is labelled "In print". */
export function labelOf(name: string, { label }: Field): string {
  const words = name.replaceAll('_', ' ')
  return label ?? words.charAt(0).toUpperCase() + words.slice(1)
}
