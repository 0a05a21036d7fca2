import { choice, key, resource, text } from 'resource-api'

export const things = resource('things', {
  table: 'things',
  fields: { id: key(), title: text({ max: 200 }), kind: choice(['novel', 'essay'], { default: 'novel' }) },
  filters: { kind: ['exact', 'in'], title: ['in', 'range'] },
  orderingFields: ['title'],
})
