// The fields that the actions of an object ask for, or switch on and off. Its form leaves them out.

import type { Form, View } from '#core'

type Forms = Readonly<Record<string, Form>>

/** The fields that actions switch on and off, such as `is_active`. */
export function listSwitches({ pageActions }: View): readonly string[] {
  const names = (value: boolean) =>
    Object.values(pageActions).flatMap(({ values = {} }) => Object.keys(values).filter(name => values[name] === value))
  const off = new Set(names(false))
  return [...new Set(names(true))].filter(name => off.has(name))
}

/** The form of an object without the fields that actions ask for, or switch on and off. */
export function leaveOutAsked(forms: Forms, view: View): Forms {
  const fieldsOfActions = Object.values(view.pageActions).flatMap(({ fields = [] }) => fields)
  const asked = new Set([...fieldsOfActions, ...listSwitches(view)])
  const { PATCH: form } = forms
  if (form === undefined || asked.size === 0) return forms
  const fields = Object.fromEntries(Object.entries(form.fields).filter(([name]) => !asked.has(name)))
  return { ...forms, PATCH: { ...form, fields } }
}
