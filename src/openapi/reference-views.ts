// The views of the reference, which a renderer of pages makes from the OpenAPI document. It says exactly what the document
// says, so it has the readers of the document, or fewer.

import { allowAny, type DocumentOptions, type FindDocument, type Renderer, type View, type ViewOptions } from '#core'
import type { ServerDocument } from './server-document.ts'

/** The renderer that makes the reference; undefined if there is none. */
export const findReferenceRenderer = (
  { docs }: DocumentOptions,
  renderers: readonly Renderer<View>[],
): Renderer<View> | undefined =>
  docs === false ? undefined : renderers.find(({ documentPages }) => documentPages !== undefined)

/** Creates the views by path; none without a renderer of pages. */
export function createReferenceViews(
  document: ServerDocument,
  options: DocumentOptions,
  renderers: readonly Renderer<View>[],
): Readonly<Record<string, ViewOptions>> {
  const { docs, permissions = [allowAny], schemaFor = 'everyone' } = options
  const renderer = findReferenceRenderer(options, renderers)
  if (renderer === undefined || docs === false) return {}
  const views = renderer.documentPages!.map(({ path, name, id, render }): readonly [string, ViewOptions] => [
    path,
    {
      name,
      id,
      permissions: [...permissions, ...(docs?.permissions ?? [])],
      renderers: [renderer],
      lenientAccept: true,
      openapi: false,
      handlers: {
        GET: async context => {
          const findDocument: FindDocument = translate =>
            schemaFor === 'everyone' ? document.forEveryone(translate) : document.forCaller(context, translate)
          return { status: 200, body: await render(context, findDocument) }
        },
      },
    },
  ])
  return Object.fromEntries(views)
}
