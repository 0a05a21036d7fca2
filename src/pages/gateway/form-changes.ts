// The fields of its object that a form of a page changes: the page that follows names them. Only forms without the script need this.

import type { FastifyRequest } from 'fastify'
import { type Fields, formatBody, type HandlerContext, type ResponseBody, type View } from '#core'
import { readObject } from '../page/read-data.ts'
import { readView } from '../page/read-view.ts'

const changedFields = new WeakMap<FastifyRequest, readonly string[]>()

/** The names of the fields that the request of a form has changed; empty if they are not known. */
export const listChangedFields = (request: FastifyRequest): readonly string[] => changedFields.get(request) ?? []

/** The view with a handler of this method that also compares its object before and after the change. */
export function compareObjects(view: View, method: string): View {
  const own = view.forMethod(method)
  const handle = own.handlers.get(method)
  const fields = view.forms[method]?.fields
  const isChange = method === 'PATCH' || method === 'PUT'
  if (!isChange || view.objectMetadata === undefined || handle === undefined || fields === undefined) return view
  const handleForm = async (context: HandlerContext) => {
    const before = await readView(context, view)
    const response = await handle(context)
    if (before?.body !== undefined && response.body !== undefined) {
      const [old, changed] = [before.body, response.body].map(body => readData(body, view))
      const isChanged = (name: string) =>
        fields[name]!.writeOnly ? isGiven(name, context) : JSON.stringify(old![name]) !== JSON.stringify(changed![name])
      changedFields.set(context.request, listWritable(fields).filter(isChanged))
    }
    return response
  }
  const compared: View = {
    ...own,
    handlers: new Map([...own.handlers, [method, handleForm]]),
    forMethod: name => (name === method ? compared : view.forMethod(name)),
  }
  return compared
}

const readData = (body: ResponseBody, { envelope }: View) => readObject(JSON.parse(formatBody(body)), envelope)

const listWritable = (fields: Fields): readonly string[] => Object.keys(fields).filter(name => !fields[name]!.readOnly)

const isGiven = (name: string, { requestBody: body }: HandlerContext): boolean =>
  (body.kind === 'form' || body.kind === 'upload') && body.form.has(name)
