import {
  type BinaryOperationNode,
  OperatorNode,
  PostgresDialect,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
} from 'kysely';

/** Passes the list of an `in` as one array, so that lists of all lengths are one prepared statement. */
class ArrayCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, operator, rightOperand } = node;
    const name = OperatorNode.is(operator) ? operator.operator : undefined;
    if (!PrimitiveValueListNode.is(rightOperand) || (name !== 'in' && name !== 'not in')) {
      super.visitBinaryOperation(node);
      return;
    }
    this.visitNode(leftOperand);
    this.append(name === 'in' ? ' = any(' : ' <> all(');
    this.appendValue(rightOperand.values);
    this.append(')');
  }
}

export class ArrayDialect extends PostgresDialect {
  override createQueryCompiler() {
    return new ArrayCompiler();
  }
}
