// What a parser without a preprocessor cannot read.
#define WIDGET_API __attribute__((visibility("default")))

FMT_BEGIN_NAMESPACE
FMT_BEGIN_EXPORT

enum class color : uint32_t { red = 0xFF0000, green = 1'000 };

class WIDGET_API Widget final : public Base {
    Q_OBJECT
public:
    WIDGET_API explicit Widget(int width);
    int width() const;
};

class API_VISIBILITY("default") failure : public std::runtime_error {};

template <typename R, typename... Args>
struct Impl<R(Args...)> : Base<R> {
    using Arg = R;
};

WIDGET_API bool check(int x) { return x > 1; }

FMT_END_NAMESPACE
