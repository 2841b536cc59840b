// Widgets and what draws them.
#include <memory>
#include "widget.hpp"

using Handle = std::shared_ptr<int>;
namespace fs = std::filesystem;

namespace ui {

constexpr int kMax = 8;
extern int total;
int count{0};

enum class Align : unsigned char { Left, Right = 2 };

/// Draws things.
class Widget final : public Base, private Mixin<Widget> {
public:
    explicit Widget(int width) : width_(width), size_{width} { resize(); }
    Widget(const Widget&) = delete;
    virtual ~Widget();

    /// How wide it is.
    int width() const noexcept { return width_; }
    virtual void draw(Canvas& canvas) = 0;
    static std::unique_ptr<Widget> make(std::map<int, std::string> options = {});
    bool operator==(const Widget& other) const { return width_ == other.width_; }
    operator bool() const;
    Widget& operator()(int x);

    template <typename T, int N = 3>
    T as() const { return T(); }

    struct Options {
        bool visible = true;
        std::string title{"}"};
    };

protected:
    int width_ = 0;
    std::vector<std::pair<int, int>> size_;
    static const int kDepth = 4;
    friend class Painter;
};

template <typename T>
struct Box {
    T value;
    T get() const;
};

template <typename T>
T Box<T>::get() const {
    return value;
}

namespace {
void hidden() {}
}  // namespace

namespace detail::impl {
struct Deep {};
}

}  // namespace ui

ui::Widget::~Widget() = default;

bool ui::Widget::operator!() const {
    auto f = [](int x) { return x; };
    return false;
}

template <>
void ui::Widget::draw<int>(Canvas& canvas) {
    const char* raw = R"x(class Fake { )" )x";
    int million = 1'000'000;
}

auto sum(int a, int b) -> int {
    return a + b;
}

extern "C" {
void c_entry(void) {}
}

extern "C" int c_other(int x) { return x; }

class Forward;

typedef void (*Callback)(int);
using Map = std::map<int, Forward*>;

int main() {
    return 0;
}
