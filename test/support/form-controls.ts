import { toReadableText } from './html.ts'

/** The controls of a form of a page, as a browser sends them. */
export function listControls(page: string, method: string): URLSearchParams {
  const [, html] = new RegExp(`<form [^>]*data-method="${method}"[^>]*>(.*?)</form>`, 's').exec(page)!
  const form = new URLSearchParams()
  const pattern = /<input ([^>]*)>|<select ([^>]*)>(.*?)<\/select>|<textarea ([^>]*)>\n?(.*?)<\/textarea>/gs
  for (const [, input, select, choices = '', area, typed = ''] of html!.matchAll(pattern)) {
    const attributes = input ?? select ?? area!
    const find = (attribute: string, text = attributes) =>
      toReadableText(new RegExp(`(?:^| )${attribute}="([^"]*)"`).exec(text)?.[1] ?? '')
    if (input?.includes('type="checkbox"') && !/ checked/.test(input)) continue
    const [, selected = ''] = / ?value="([^"]*)" selected/.exec(choices) ?? []
    form.append(find('name'), input ? find('value') : select ? selected : toReadableText(typed))
  }
  return form
}
