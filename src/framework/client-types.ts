// The types of declarations that the types of clients are made of.

export type { OwnOrInherited, ViewTypes } from './declared-view.ts'
export type { CreatedFields, DeclaredFields } from './fields/declared-fields.ts'
export type { HasTrait, RelatedTo, ShownBy, TakenBy, TakenFields } from './fields/field-types.ts'
export type { OnWire, WireName } from './fields/wire-names.ts'
export type { PageMember } from './pagination/paginator.ts'
export type { TargetOf } from './resources/filters/filter-types.ts'
export type { OperationTypes } from './resources/operation-types.ts'
export type {
  Changed,
  Created,
  ListParameters,
  PageParameters,
  Replaced,
  Shown,
} from './resources/representation.ts'
export type { ResponseData, SentData } from './schemas/schema.ts'
