<!DOCTYPE html>
<p>Don't { read this.</p>
<?php
declare(strict_types=1);

namespace App\Http;

use App\Models\User;
use Psr\Log\{LoggerInterface, NullLogger as Quiet};
use function App\format;

require_once __DIR__ . '/bootstrap.php';

define('APP_NAME', 'shop');
const VERSION = '1.0';

/**
 * Answers requests.
 */
#[Route('/users')]
final class UserController extends Controller implements Loggable
{
    use LogsThings;

    public const PER_PAGE = 20;
    private const A = 1, B = 2;

    private ?LoggerInterface $logger = null;
    public static array $cache = ['{' => 1];
    protected readonly int $count;
    var $old;

    /** Makes it. */
    public function __construct(private UserStore $users, LoggerInterface $logger)
    {
        $this->logger = $logger;
    }

    // Lists users.
    public function index(Request $request, int ...$ids): Response
    {
        $sql = <<<SQL
            function fake() {
            SQL;
        $double = fn($x) => $x * 2;
        $each = function ($user) use ($sql) { return $user; };
        return new Response("}");
    }

    abstract protected function rules(): array;

    public static function &make(): static { return new static(); }
}

interface Loggable
{
    public function log(string $message): void;
}

trait LogsThings
{
    protected function note(string $text): void {}
}

enum Status: string
{
    case Active = 'active';
    case Gone = 'gone';

    public function label(): string { return ucfirst($this->value); }
}

abstract class Shape
{
    abstract public function area(): float;
}

function helper(array $items = [], ?callable $then = null): ?string
{
    return null;
}

if (!function_exists('old')) {
    function old() {}
}
?>
<b>end { of it</b>
