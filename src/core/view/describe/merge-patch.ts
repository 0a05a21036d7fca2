// Merges what an application says about an operation into its generated description.

import { isObject } from '../../base/is-object.ts'
import type { Operation, OperationOptions, Parameter, Reference, Response } from '../../describe/openapi-types.ts'

/** Merges a patch into a value (RFC 7396). */
export function mergePatch(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged = new Map(Object.entries(isObject(value) ? value : {}))
  for (const [name, change] of Object.entries(patch)) {
    if (change === undefined) continue
    if (change === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), change))
  }
  return Object.fromEntries(merged)
}

/**
 * Merges the options of an application into an operation. A success that they name replaces "any success", which stands for what
 * a view does not declare. The content of an error replaces the generated one.
 */
export function mergeOperation(operation: Operation, { parameters, ...options }: OperationOptions): Operation {
  const namesSuccess = Object.entries(options.responses ?? {}).some(
    ([status, value]) => /^2\d\d$/.test(status) && value,
  )
  const responses = namesSuccess ? withoutAnySuccess(operation.responses) : operation.responses
  const known = { ...operation, responses: withoutReplaced(responses, options.responses) }
  const merged = mergePatch(known, options) as Operation
  if (parameters === undefined) return merged
  return { ...merged, parameters: mergeParameters(operation.parameters ?? [], parameters) }
}

const withoutAnySuccess = ({
  '2XX': _2xx,
  '3XX': _3xx,
  ...responses
}: Operation['responses']): Operation['responses'] => responses

// A reference would win over the content beside it.
function withoutReplaced(
  responses: Operation['responses'],
  options: OperationOptions['responses'],
): Operation['responses'] {
  const isReplaced = (status: string) => status >= '400' && Object.hasOwn(options?.[status] ?? {}, 'content')
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      if (!isReplaced(status)) return [status, response]
      const { $ref: _, content: __, ...kept } = response as Partial<Response & Reference>
      return [status, { description: '', ...kept }]
    }),
  )
}

/** Joins options; those of a method override those of its view, which override those of its resource. `false` hides the operation. */
export function joinOptions(
  first: OperationOptions | false | undefined,
  second: OperationOptions | false | undefined,
): OperationOptions | false | undefined {
  if (first === undefined || second === undefined) return second ?? first
  if (first === false || second === false) return second
  const parameters = mergeParameters(first.parameters ?? [], second.parameters ?? [])
  // A null in the second removes what was generated, so it stays.
  return { ...first, ...second, ...(parameters.length > 0 && { parameters }) }
}

function mergeParameters(generated: readonly Parameter[], given: readonly Parameter[]): readonly Parameter[] {
  const byName = new Map(generated.map(parameter => [`${parameter.in} ${parameter.name}`, parameter]))
  for (const parameter of given) byName.set(`${parameter.in} ${parameter.name}`, parameter)
  return [...byName.values()]
}
