// The views at `/openapi.json` and `/openapi.yaml`. The document is formatted once; later requests get it from memory, or 304.

import { allowAny, type DocumentOptions, JsonText, jsonRenderer, type Renderer, tagOnly, type ViewOptions } from '#core'
import type { ServerDocument } from './server-document.ts'
import { formatYaml } from './yaml.ts'

/** Creates the views of a document, by path. */
export function createDocumentViews(
  document: ServerDocument,
  { permissions = [allowAny], schemaFor = 'everyone' }: DocumentOptions,
): Readonly<Record<string, ViewOptions>> {
  let text: JsonText | undefined
  const findText = () => {
    text ??= new JsonText(JSON.stringify(document.forEveryone()))
    return text
  }
  const shared: Omit<ViewOptions, 'name' | 'renderers'> = {
    permissions,
    lenientAccept: true,
    openapi: false,
    handlers: {
      GET: async context => ({
        status: 200,
        body: schemaFor === 'everyone' ? findText() : new JsonText(JSON.stringify(await document.forCaller(context))),
        validators: tagOnly,
      }),
    },
  }
  return {
    '/openapi.json/': { ...shared, name: 'OpenAPI Document', renderers: [jsonRenderer, openApiRenderer] },
    '/openapi.yaml/': { ...shared, name: 'OpenAPI Document In YAML', renderers: [yamlRenderer] },
  }
}

const openApiRenderer: Renderer = Object.freeze<Renderer>({
  mediaType: 'application/openapi+json',
  format: 'openapi',
  contentType: 'application/openapi+json;version=3.1',
  canRender: body => body instanceof JsonText,
  render: body => (body as JsonText).text,
})

const yamlTexts = new WeakMap<JsonText, string>()

const yamlRenderer: Renderer = Object.freeze<Renderer>({
  mediaType: 'application/yaml',
  format: 'yaml',
  contentType: 'application/yaml',
  canRender: body => body instanceof JsonText,
  render(body) {
    const json = body as JsonText
    const text = yamlTexts.get(json) ?? formatYaml(JSON.parse(json.text))
    yamlTexts.set(json, text)
    return text
  },
})
