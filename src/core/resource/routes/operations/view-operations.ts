// Describes the further views of a resource: `shipOrder` for `POST /orders/7/ship/`, `getOrderLabel` for a GET.

import { documentMessages } from '../../../messages/document-messages.ts'
import type { MessageText } from '../../../messages/english.ts'
import { formatTitle } from '../../../messages/title.ts'
import { isSafe } from '../../../policy/permissions/permission.ts'
import type { MethodPlan } from '../../../view/declared/declared-methods.ts'
import type { DescribeOperation } from '../../../view/describe/described-operation.ts'
import { sharedDescriptions } from '../../../view/describe/error-responses.ts'
import { formatFunctionName } from '../../../view/describe/names.ts'
import { describeDeclared } from '../../../view/describe/view-operations.ts'
import type { ResourceLocation } from '../../bind/resource-location.ts'
import type { ListView } from '../../declare/views.ts'
import { listIdempotencyKey } from './header-parameters.ts'
import { describeSelection, describeSelectionErrors } from './list-parameters.ts'
import { findNames } from './operation-names.ts'
import { describePath } from './path-parameters.ts'
import { wrapSchema } from './resource-schemas.ts'

/** A view of a resource. */
export interface LocatedView {
  readonly location: ResourceLocation
  /** Its name in the declaration; empty for the further methods of a list. */
  readonly name: string
  readonly place: 'list' | 'object'
  readonly view: Pick<ListView, 'idempotent' | 'pageActions' | 'unknownFields'>
}

/** Describes a method of a view. */
export const describeView =
  (
    { location, name, place, view }: LocatedView,
    method: string,
    { form, description }: MethodPlan,
  ): DescribeOperation =>
  context => {
    const { bound } = location
    const { one, many } = findNames(location)
    const { name: target, shown } = place === 'list' ? many : one
    const label = view.pageActions?.[method]?.label
    const isAction = method === 'POST' && name !== ''
    const selection = description.describeResponse ? describeSelection(bound, 'retrieve', context, false) : []
    const keys = view.idempotent && !isSafe(method) ? listIdempotencyKey(bound) : []
    const declared = describeDeclared(
      {
        method,
        form,
        description,
        refusesUnknown: (view.unknownFields ?? bound.unknownFields) === 'refuse',
        ...(!form.takesAny && { wrapBody: schema => wrapSchema(bound, schema) }),
      },
      context,
    )
    return {
      ...declared,
      id: isAction ? formatFunctionName(name, target) : formatFunctionName(method.toLowerCase(), target, name),
      summary: name === '' ? target : summarize(`${target}: ${formatTitle(name)}`, shown, label ?? formatTitle(name)),
      path: { ...describePath(location, place), ...declared.path },
      parameters: [...selection, ...(declared.parameters ?? []), ...keys],
      errors: {
        ...declared.errors,
        invalid: [...(declared.errors?.invalid ?? []), ...describeSelectionErrors(selection)],
        usesDatabase: true,
        statuses:
          keys.length === 0 ? {} : { 409: documentMessages('document.key_running'), 422: sharedDescriptions[422] },
      },
    }
  }

// The label of the view is that of its action; the English summary has the name of the view.
const summarize = (message: string, name: MessageText, part: MessageText): MessageText => ({
  ...documentMessages('document.part', { name, part }),
  message,
})
